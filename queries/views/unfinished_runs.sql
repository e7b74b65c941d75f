-- summary: Runs of evals and A/Bs of one contract that have no result: what can be resumed, newest first.
-- grain: event_id
-- columns: experiment_id  the eval or A/B
--          event_id       the run
--          payload        canonical JSON of its event
-- param: contract VARCHAR  digest of what is run
SELECT r.experiment_id, r.event_id, e.payload
FROM eval_run r
JOIN (FROM events UNION ALL BY NAME FROM conflicts) e USING (event_id)
ANTI JOIN repeated_places p ON p.hash = e.hash
WHERE r.contract = $contract
  AND r.event_id NOT IN (SELECT event_id FROM retracted)
  AND r.experiment_id NOT IN (
      SELECT experiment_id FROM eval_result WHERE experiment_id IS NOT NULL
      UNION ALL
      SELECT experiment_id FROM ab_run WHERE experiment_id IS NOT NULL
  )
ORDER BY
    max(r.recorded_us) OVER (PARTITION BY r.experiment_id) DESC, r.experiment_id,
    r.recorded_us DESC, r.event_id
