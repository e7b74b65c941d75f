-- summary: Series: the runs of one workload, one treatment and one session, and whether they can be a baseline.
-- grain: series_id
-- columns: series_id     the series
--          kind          row, or what else recorded it
--          host          host
--          arch          GPU architecture
--          workload      name of the workload
--          phase         phase
--          quant         quantisation
--          shape_bucket  shape of the work
--          git_sha       commit
--          git_state     clean, dirty or unknown
--          diff_md5      digest of the uncommitted change
--          binary_md5    digest of the program
--          metric        metric
--          goal          maximize or minimize
--          n             runs: processes
--          median        median of the runs, in the metric's unit
--          rel_spread    (max - min) / median, a fraction
--          stability     stable, unstable or unknown
--          refused       why it can't be a baseline; NULL when it can
--          at_us         when its last run was measured, UTC microseconds
--          session       recording command or import
--          workload_key  number over what must be equal to compare
--          treatment_key number over what may differ
--          samples       values in the order they ran
--          sample_ids    the runs
--          ids           rows and events they rest on
--          arm           a or b where two sides were run by one command
--          cold          runs that hold a cold start
--          profiled      profiling was on
--          weak          a baseline that was accepted with too few runs
--          is_aa         recorded to show the host's own noise
WITH grouped AS (
    SELECT
        series_id,
        list(value ORDER BY turn, at_us, sample_id) AS samples,
        list(sample_id ORDER BY turn, at_us, sample_id) AS sample_ids,
        flatten(list(ids ORDER BY turn, at_us, sample_id)) AS ids,
        max(at_us) AS at_us,
        any_value(COLUMNS([
            'kind', 'host', 'arch', 'workload', 'phase', 'quant', 'shape_bucket', 'git_sha',
            'git_state', 'diff_md5', 'binary_md5', 'metric', 'goal', 'session', 'workload_key',
            'treatment_key', 'arm'
        ])),
        count(*) FILTER (cold) AS cold,
        bool_or(profiled) AS profiled,
        bool_or(weak) AS weak,
        bool_or(is_aa) AS is_aa,
        bool_or(NOT correct) AS incorrect,
        bool_or(disposition = 'rejected') AS rejected
    FROM samples
    GROUP BY series_id
),
summed AS (
    SELECT *, series_summary(samples) AS told FROM grouped
),
steady AS (
    SELECT *, series_stability(told.count, told.rel_spread).status AS stability FROM summed
)
SELECT
    series_id,
    kind,
    host,
    arch,
    workload,
    phase,
    quant,
    shape_bucket,
    git_sha,
    git_state,
    diff_md5,
    binary_md5,
    metric,
    goal,
    len(samples) AS n,
    told.median AS median,
    told.rel_spread AS rel_spread,
    stability,
    CASE
        WHEN profiled THEN 'profiled: launches are serialised'
        WHEN len(samples) < 2 THEN 'a single run'
        WHEN len(samples) < 4 AND NOT weak THEN format('{} runs, at least 4 are needed', len(samples))
        WHEN stability <> 'stable' THEN format('unstable: spread {:.2f} of the median', told.rel_spread)
        WHEN cold > 0 THEN format('cold starts in {} runs', cold)
        WHEN incorrect THEN 'a correctness result failed'
        WHEN rejected THEN 'rejected by a person'
    END AS refused,
    at_us,
    session,
    workload_key,
    treatment_key,
    samples,
    sample_ids,
    ids,
    arm,
    cold,
    profiled,
    weak,
    is_aa
FROM steady
