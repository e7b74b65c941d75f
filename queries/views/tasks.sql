-- summary: Tasks: what was to be tried, where, and within which bounds; the newest cut of each id.
-- grain: task_id
-- columns: task_id         id of the task
--          event_id        its event
--          recorded_us     when it was recorded, UTC microseconds
--          created_us      when it was made, UTC microseconds
--          producer        hipfire-atlas-row, hipfire-atlas-suggestion or pytorch
--          host            host of the row it was cut from
--          arch            GPU architecture
--          workload        name of the workload
--          phase           phase
--          shape_bucket    shape of the work
--          model_size      size label of the model
--          quant           quantisation
--          kernel          hot kernel
--          lever           lever type
--          title           what is to be tried
--          suggestion_id   suggestion it was cut from
--          history_key     what earlier tries of the same lever are known by
--          steps           steps that were proposed
--          metric          metric of its eval
--          goal            maximize or minimize
--          command         benchmark command: text, or an argv as JSON
--          env             variables the contract sets
--          allowed_files   files that may be edited
--          fresh_baseline  its own numbers are no reference
--          git_sha         commit it was cut from
--          contested       it comes from a forked origin and takes part in no verdict
SELECT
    t.task_id, t.event_id, t.recorded_us, t.created_us, t.producer, t.host, t.arch, t.workload,
    t.phase, t.shape_bucket, t.model_size, t.quant, t.kernel, t.lever, t.title, t.suggestion_id,
    t.history_key, t.steps, t.metric, t.goal, t.command, t.env, t.allowed_files, t.fresh_baseline,
    t.git_sha,
    c.event_id IS NOT NULL AS contested
FROM task_cut t
LEFT JOIN contested c ON c.event_id = t.event_id
WHERE t.event_id NOT IN (SELECT event_id FROM retracted)
QUALIFY row_number() OVER (
    PARTITION BY t.task_id
    ORDER BY coalesce(t.created_us, t.recorded_us) DESC, t.imported, t.event_id
) = 1
