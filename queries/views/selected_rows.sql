-- summary: Rows that fit what somebody asked for, the newest first; of one event its decode rows before the others.
-- grain: row_id
-- columns: row_id       the row
--          event_id     its event
--          status       ok, partial or quarantined
--          why          reasons for a status other than ok
--          phase        phase
--          metric       headline metric
--          value        its value
--          contested    it comes from a forked origin and takes part in no verdict
--          recorded_us  when it was recorded, UTC microseconds
-- param: row_id VARCHAR = NULL  this row
-- param: event_id VARCHAR = NULL  rows of this event
-- param: host VARCHAR = NULL  host
-- param: arch VARCHAR = NULL  GPU architecture
-- param: phase VARCHAR = NULL  phase
-- param: quant VARCHAR = NULL  quantisation
-- param: workload VARCHAR = NULL  name of the workload
-- param: shape_bucket VARCHAR = NULL  shape of the work
-- param: model_size VARCHAR = NULL  size label of the model
-- param: kv_mode VARCHAR = NULL  KV cache mode
-- param: status VARCHAR = NULL  ok, partial or quarantined
-- param: evidence VARCHAR = NULL  measured or exploratory
-- param: git_state VARCHAR = NULL  clean, dirty or unknown
-- param: metric VARCHAR = NULL  headline metric
-- param: device_index INTEGER = NULL  index of the device
-- param: profiled BOOLEAN = NULL  profiling was on
-- param: run_index INTEGER = NULL  index of the run within its collection
-- param: tag VARCHAR = NULL  carries this tag
-- param: git_sha VARCHAR = NULL  commit, by prefix
-- param: diff_md5 VARCHAR = NULL  digest of the uncommitted change, by prefix
-- param: binary_md5 VARCHAR = NULL  digest of the program, by prefix
-- param: model_md5 VARCHAR = NULL  digest of the model, by prefix
-- param: prompt_md5 VARCHAR = NULL  digest of the prompt, by prefix
-- param: session VARCHAR = NULL  recording command or import, by prefix
-- param: env VARCHAR[] = NULL  variables, NAME=value, all of them
-- param: limit INTEGER = NULL  at most so many
SELECT
    r.row_id, r.event_id, r.status, r.why, r.phase, r.metric, r.value, r.contested, r.recorded_us
FROM rows r
WHERE ($row_id IS NULL OR r.row_id = $row_id)
  AND ($event_id IS NULL OR list_contains(r.sources, $event_id))
  AND ($host IS NULL OR r.host = $host)
  AND ($arch IS NULL OR r.arch = lower($arch))
  AND ($phase IS NULL OR r.phase = $phase)
  AND ($quant IS NULL OR r.quant = $quant)
  AND ($workload IS NULL OR r.workload = $workload)
  AND ($shape_bucket IS NULL OR r.shape_bucket = $shape_bucket)
  AND ($model_size IS NULL OR r.model_size = $model_size)
  AND ($kv_mode IS NULL OR r.kv_mode = lower($kv_mode))
  AND ($status IS NULL OR r.status = $status)
  AND ($evidence IS NULL OR r.evidence = $evidence)
  AND ($git_state IS NULL OR r.git_state = $git_state)
  AND ($metric IS NULL OR r.metric = $metric)
  AND ($device_index IS NULL OR r.device_index = $device_index)
  AND ($profiled IS NULL OR r.profiled = $profiled)
  AND ($run_index IS NULL OR r.run_index = $run_index)
  AND ($tag IS NULL OR list_contains(r.tags, $tag))
  AND ($git_sha IS NULL OR starts_with(r.git_sha, lower($git_sha)))
  AND ($diff_md5 IS NULL OR starts_with(r.diff_md5, lower($diff_md5)))
  AND ($binary_md5 IS NULL OR starts_with(r.binary_md5, lower($binary_md5)))
  AND ($model_md5 IS NULL OR starts_with(r.model_md5, lower($model_md5)))
  AND ($prompt_md5 IS NULL OR starts_with(r.prompt_md5, lower($prompt_md5)))
  AND ($session IS NULL OR starts_with(r.session, $session))
  AND ($env IS NULL OR list_has_all(r.env, $env))
ORDER BY
    r.recorded_us DESC, r.origin DESC, r.seq DESC, starts_with(r.phase, 'decode') DESC, r.ordinal DESC
LIMIT $limit
