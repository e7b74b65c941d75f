-- summary: The verdict ladder: the first rung that applies. Inner rungs are decided by the interval alone, no p-value takes part.
-- columns: verdict  incomparable, identical_binary, incorrect, unstable, insufficient, faster, slower, faster_small, slower_small, same or inconclusive
-- param: log_lo DOUBLE  lower end of the interval, in logarithms, above 0 is better; NULL = none
-- param: log_hi DOUBLE  upper end
-- param: delta DOUBLE = 0.01  half width of the band of no interest, a fraction from 0 up
-- param: incomparable VARCHAR[] = NULL  fields that differ or are unknown
-- param: identical BOOLEAN = FALSE  same binary, objects, command and environment under factor code
-- param: incorrect BOOLEAN = FALSE  a correctness result failed
-- param: unstable BOOLEAN = FALSE  a side spreads too far
-- param: weak BOOLEAN = FALSE  the baseline was accepted with too few runs
-- example: SELECT verdict_of(0.012, 0.03)
SELECT CASE
    WHEN len(incomparable) > 0 THEN 'incomparable'
    WHEN identical THEN 'identical_binary'
    WHEN incorrect THEN 'incorrect'
    WHEN unstable THEN 'unstable'
    WHEN weak OR log_lo IS NULL OR log_hi IS NULL THEN 'insufficient'
    -- The tolerance keeps an effect of exactly delta on one side of the band on every machine.
    WHEN log_lo > ln(1 + delta::DOUBLE) + 1e-12 THEN 'faster'
    WHEN log_hi < -ln(1 + delta::DOUBLE) - 1e-12 THEN 'slower'
    WHEN log_lo > 0 THEN 'faster_small'
    WHEN log_hi < 0 THEN 'slower_small'
    WHEN log_lo >= -ln(1 + delta::DOUBLE) - 1e-12 AND log_hi <= ln(1 + delta::DOUBLE) + 1e-12
    THEN 'same'
    ELSE 'inconclusive'
  END
