-- summary: Baselines of tasks that stand: not taken back, nor any run they rest on.
-- grain: event_id
-- columns: event_id        the event
--          recorded_us     when it was recorded, UTC microseconds
--          captured_us     when it was measured, UTC microseconds
--          session         recording command; NULL for imports
--          task_id         the task
--          metric          metric
--          goal            maximize or minimize
--          value           median
--          samples         the measured runs
--          runs            count of measured runs
--          rel_spread      (max - min) / median
--          stability       stable, unstable or unknown
--          weak            accepted with fewer than 4 runs
--          host            host
--          arch            GPU architecture
--          device_index    index of the device
--          visible         visibility variables
--          command_digest  digest of the benchmark command
--          env             variant variables, NAME=value, sorted
--          binary_md5      digest of the program
--          binary_kind     elf, script, other or missing
--          code_objects    digest of the code-object folder
--          git_sha         commit
--          git_state       clean, dirty or unknown
--          diff_md5        digest of the uncommitted change
SELECT
    b.event_id, b.recorded_us, b.captured_us, b.session, b.task_id, b.metric,
    coalesce(b.goal, metric_rule_of(b.metric).goal) AS goal,
    b.value, b.samples, b.runs, b.rel_spread, b.stability, b.weak, b.host, b.arch, b.device_index,
    b.visible, b.command_digest, b.env, b.binary_md5, b.binary_kind, b.code_objects, b.git_sha,
    b.git_state, b.diff_md5
FROM baseline_made b
CROSS JOIN (SELECT coalesce(list(event_id), []) AS ids FROM retracted) gone
WHERE NOT list_contains(gone.ids, b.event_id)
  AND NOT list_has_any(b.parts, gone.ids)
  AND NOT b.profiled
  AND b.event_id NOT IN (SELECT event_id FROM contested)
QUALIFY row_number() OVER (
    PARTITION BY b.task_id, coalesce(CAST(b.captured_us AS VARCHAR), b.event_id), b.metric
    ORDER BY b.imported, b.recorded_us, b.event_id
) = 1
