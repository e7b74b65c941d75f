-- summary: One line about each event of the experiment loop: tasks, runs, evals, baselines, A/Bs.
-- grain: event_id
-- columns: event_id  identity of the event
--          about     which task or experiment, and what came out
SELECT event_id, concat_ws(': ', task_id, title) AS about FROM task_cut
UNION ALL
SELECT
    event_id,
    concat_ws(' ', coalesce(task_id, experiment), arm, role, run_index + 1)
        || coalesce(': ' || reason, ': ' || metric || '=' || value, '')
FROM eval_run
UNION ALL
SELECT event_id, concat_ws(': ', task_id, concat_ws(', ', status, verdict)) FROM eval_result
UNION ALL
SELECT event_id, concat_ws(': ', task_id, metric || '=' || value) FROM baseline_made
UNION ALL
SELECT
    event_id,
    concat_ws(': ', CASE WHEN is_graph THEN 'graph A/B' ELSE 'A/B ' || coalesce(factor, '') END,
        concat_ws(', ', status, verdict))
FROM ab_run
