-- summary: Position of the bounds of an exact 95 % interval among sorted pairwise differences: the k-th smallest and the k-th largest of n x m.
-- grain: n, m
-- columns: n  runs of one side, 1 to 64
--          m  runs of the other, 1 to 64
--          k  position from 1; NULL below 4 a side, where no such interval is given
SELECT n, m, k
FROM read_csv(
  getvariable('reference_dir') || '/rank_interval.csv',
  header = TRUE,
  columns = {'n': 'INTEGER', 'm': 'INTEGER', 'k': 'INTEGER'}
)
