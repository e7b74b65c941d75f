-- summary: How much of the GPU time the engine's own profile accounts for, per profiled row.
-- grain: row_id
-- columns: row_id           the row
--          recorded_us      when it was recorded, UTC microseconds
--          host             host
--          arch             GPU architecture
--          phase            phase
--          coverage_pct     share of rocprof's time that the engine's profile explains
--          rocprof_ms       rocprof's total, milliseconds
--          internal_ms      the engine's total, milliseconds
--          blindspot_ms     time nobody attributed, milliseconds
--          blindspot_count  kernels the engine didn't see
--          reading          high coverage, investigate, or attribution not to be trusted
SELECT
    row_id,
    recorded_us,
    host,
    arch,
    phase,
    metrics['rocprof_coverage_pct'] AS coverage_pct,
    metrics['rocprof_rocprof_total_ms'] AS rocprof_ms,
    metrics['rocprof_internal_total_ms'] AS internal_ms,
    metrics['rocprof_blindspot_total_ms'] AS blindspot_ms,
    metrics['rocprof_blindspot_count'] AS blindspot_count,
    CASE
        WHEN metrics['rocprof_coverage_pct'] >= 90 THEN 'high coverage'
        WHEN metrics['rocprof_coverage_pct'] >= 75 THEN 'investigate'
        ELSE 'attribution not to be trusted'
    END AS reading
FROM live_measurement SEMI JOIN row_heads USING (event_id, ordinal)
WHERE metrics['rocprof_coverage_pct'] IS NOT NULL
