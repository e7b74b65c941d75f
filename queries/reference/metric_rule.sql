-- summary: Direction and band of no interest of a metric by its name; the first pattern that fits wins, the last fits everything.
-- grain: ordinal
-- columns: ordinal  order of trial
--          pattern  glob over the lower-case metric name
--          goal     maximize or minimize
--          delta    smallest relative change of interest
SELECT ordinal, pattern, goal, delta::DOUBLE AS delta
FROM (
  VALUES
    (1, '*_ms', 'minimize', 0.01),
    (2, '*_us', 'minimize', 0.01),
    (3, '*_secs', 'minimize', 0.01),
    -- the row's name of what the program prints as decode_secs
    (4, 'elapsed_s', 'minimize', 0.01),
    (5, '*', 'maximize', 0.01)
) AS rule (ordinal, pattern, goal, delta)
