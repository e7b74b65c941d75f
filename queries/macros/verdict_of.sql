-- summary: The verdict ladder: the first rung that applies. Inner rungs are decided by the interval alone, no p-value takes part.
-- columns: verdict  incomparable, identical_binary, incorrect, unstable, insufficient, faster, slower, faster_small, slower_small, same or inconclusive
-- param: log_lo DOUBLE  lower end of the interval, in logarithms, above 0 is better; NULL = none
-- param: log_hi DOUBLE  upper end
-- param: delta DOUBLE = 0.01  half width of the band of no interest, as a fraction
-- param: incomparable VARCHAR[] = NULL  fields that differ or are unknown
-- param: identical BOOLEAN = FALSE  same binary, objects, command and environment under factor code
-- param: incorrect BOOLEAN = FALSE  a correctness result failed
-- param: unstable BOOLEAN = FALSE  a side spreads too far
-- param: weak BOOLEAN = FALSE  the baseline was accepted with too few runs
-- example: SELECT verdict_of(0.012, 0.03)
SELECT CASE
    WHEN len(fields) > 0 THEN 'incomparable'
    WHEN is_identical THEN 'identical_binary'
    WHEN is_incorrect THEN 'incorrect'
    WHEN is_unstable THEN 'unstable'
    WHEN is_weak OR lo IS NULL OR hi IS NULL THEN 'insufficient'
    -- The tolerance keeps an effect of exactly delta on one side of the band on every machine.
    WHEN lo > band + 1e-12 THEN 'faster'
    WHEN hi < -band - 1e-12 THEN 'slower'
    WHEN lo > 0 THEN 'faster_small'
    WHEN hi < 0 THEN 'slower_small'
    WHEN lo >= -band - 1e-12 AND hi <= band + 1e-12 THEN 'same'
    ELSE 'inconclusive'
  END
FROM (
  SELECT
    log_lo::DOUBLE AS lo,
    log_hi::DOUBLE AS hi,
    ln(1 + CASE WHEN isfinite(delta::DOUBLE) AND delta >= 0 THEN delta ELSE 0.01 END::DOUBLE) AS band,
    incomparable::VARCHAR[] AS fields,
    coalesce(identical, FALSE) AS is_identical,
    coalesce(incorrect, FALSE) AS is_incorrect,
    coalesce(unstable, FALSE) AS is_unstable,
    coalesce(weak, FALSE) AS is_weak
)
