-- summary: Profiled kernels of the rows, each with the operation it belongs to.
-- grain: row_id, position
-- columns: row_id        the row whose profile it is
--          event_id      its event
--          recorded_us   when that was recorded, UTC microseconds
--          position      place in the printed table
--          kernel        name
--          calls         launches
--          total_ms      time in all launches, milliseconds
--          avg_us        time per launch, microseconds; derived when it was not printed
--          pct           share of the profile, percent, as printed
--          gib_s         bandwidth, GiB/s
--          family        operation family
--          role          operation role
--          phase_hint    phase the operation belongs to
--          host          host it was measured on
--          arch          GPU architecture
--          phase         phase of the row
--          quant         quantisation
--          workload      name of the workload
--          shape_bucket  shape of the work
WITH named AS (
    SELECT DISTINCT kernel FROM profile_kernel WHERE stored_op IS NULL
),
attributed AS (
    SELECT kernel, op_of(kernel) AS derived FROM named
)
SELECT
    r.row_id,
    k.event_id,
    r.recorded_us,
    k.position,
    k.kernel,
    k.calls,
    k.total_ms,
    coalesce(k.avg_us, round(1000 * k.total_ms / nullif(k.calls, 0), 3)) AS avg_us,
    k.pct,
    k.gib_s,
    coalesce(k.stored_op.family, a.derived.family) AS family,
    coalesce(k.stored_op.role, a.derived.role) AS role,
    coalesce(k.stored_op.phase_hint, a.derived.phase_hint) AS phase_hint,
    r.host,
    r.arch,
    r.phase,
    r.quant,
    r.workload,
    r.shape_bucket
FROM profile_kernel k
JOIN row_heads r ON r.event_id = k.event_id AND r.ordinal = k.ordinal AND r.kernels > 0
LEFT JOIN attributed a ON a.kernel = k.kernel
