-- summary: Which series stand against which in the view `comparisons`: each with the newest one before its treatment was first seen in a row, and, where that can't be a baseline, with the newest baseline before it.
-- grain: pair
-- columns: pair       the two series
--          against    previous or baseline
--          base       series id of the base
--          candidate  series id of the candidate
--          at_us      when the candidate was measured, UTC microseconds
--          is_newest  the candidate is the newest series of its workload and metric
WITH placed AS (
    SELECT
        s.series_id,
        s.workload_key,
        s.treatment_key,
        s.metric,
        s.at_us,
        {s: s.series_id, t: s.treatment_key} AS me,
        s.refused IS NULL AS is_base,
        lag(s.treatment_key) OVER before IS DISTINCT FROM s.treatment_key AS is_start,
        lead(s.series_id) OVER before IS NULL AS is_newest
    FROM series s
    WHERE NOT s.profiled AND s.arm IS NULL
    WINDOW before AS (PARTITION BY s.workload_key, s.metric ORDER BY s.at_us, s.series_id)
),
-- What stood before the first series of a stretch with one treatment stands against all of it.
begun AS (
    SELECT
        *,
        CASE WHEN is_start THEN lag(me) OVER before END AS previous_here,
        CASE WHEN is_start THEN last_value(CASE WHEN is_base THEN me END IGNORE NULLS) OVER (
            PARTITION BY workload_key, metric ORDER BY at_us, series_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) END AS baseline_here,
        count(*) FILTER (is_start) OVER before AS stretch
    FROM placed
    WINDOW before AS (PARTITION BY workload_key, metric ORDER BY at_us, series_id)
),
earlier AS (
    SELECT
        *,
        first_value(previous_here) OVER within AS previous,
        first_value(baseline_here) OVER within AS baseline
    FROM begun
    WINDOW within AS (PARTITION BY workload_key, metric, stretch ORDER BY at_us, series_id)
)
SELECT
    previous.s || '>' || series_id AS pair,
    'previous' AS against,
    previous.s AS base,
    series_id AS candidate,
    at_us,
    is_newest
FROM earlier
WHERE previous IS NOT NULL
UNION ALL
SELECT baseline.s || '>' || series_id, 'baseline', baseline.s, series_id, at_us, is_newest
FROM earlier
WHERE baseline.s <> previous.s AND baseline.t <> treatment_key
