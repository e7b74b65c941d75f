-- summary: Series that candidates may be compared with: stable, unprofiled, not cold, not rejected, of at least 4 runs; weak ones (accepted with fewer) are marked.
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
--          weak          accepted with too few runs: what is compared with it is at most insufficient
--          is_newest     the newest of its workload and metric
--          at_us         when its last run was measured, UTC microseconds
--          workload_key  number over what must be equal to compare
--          treatment_key number over what may differ
--          samples       values in the order they ran
--          ids           rows and events they rest on
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
    n,
    median,
    rel_spread,
    weak,
    row_number() OVER (
        PARTITION BY workload_key, metric ORDER BY at_us DESC, series_id DESC
    ) = 1 AS is_newest,
    at_us,
    workload_key,
    treatment_key,
    samples,
    ids
FROM series
WHERE refused IS NULL
