-- summary: One row with what a task is cut from: its typed fields and the payload it stands in.
-- grain: row_id
-- columns: row_id        the row
--          event_id      its event
--          ordinal       position within the event
--          host          host
--          arch          GPU architecture
--          workload      name of the workload
--          phase         phase
--          shape_bucket  shape of the work
--          model_size    size label of the model
--          quant         quantisation
--          metric        headline metric
--          value         its value
--          metrics       all numeric metrics
--          visible       visibility variables
--          prompt_md5    digest of the prompt
--          profiled      launches were serialised
--          status        ok, partial or quarantined
--          payload       payload of the event, canonical JSON
-- param: row_id VARCHAR  the row
SELECT
    r.row_id, r.event_id, r.ordinal, r.host, r.arch, r.workload, r.phase, r.shape_bucket,
    r.model_size, r.quant, r.metric, r.value, r.metrics, r.visible, r.prompt_md5, r.profiled,
    r.status, e.payload
FROM rows r
JOIN (FROM events UNION ALL BY NAME FROM conflicts) e ON e.event_id = r.event_id
ANTI JOIN repeated_places p ON p.hash = e.hash
WHERE r.row_id = $row_id
