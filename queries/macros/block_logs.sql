-- summary: Mean logarithm of each block of consecutive runs of one side: with ABBA order (block 2) the unit of replication is the block, with AB order (block 1) the run. NULL when the runs do not fill whole blocks.
-- columns: logs  DOUBLE[], one mean logarithm per block, or NULL
-- param: logs DOUBLE[]  logarithms of one side's runs in the order they ran
-- param: block INTEGER = 1  runs of this side in one block
-- example: SELECT block_logs(log_values([10.0, 10.1, 10.2, 10.1]), block := 2)
SELECT CASE
    WHEN size = 1 THEN vals
    WHEN size > 1 AND len(vals) % size = 0
    THEN list_transform(
      range(0, len(vals), greatest(size, 1)), lambda x: list_avg(list_slice(vals, x + 1, x + size))
    )
  END
FROM (SELECT logs::DOUBLE[] AS vals, coalesce(block, 1)::INTEGER AS size)
