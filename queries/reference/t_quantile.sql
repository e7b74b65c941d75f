-- summary: Quantiles of Student's t; beyond 200 degrees of freedom the normal quantiles are used.
-- grain: df
-- columns: df    degrees of freedom, 1 to 200
--          t975  97.5 % quantile
--          t80   80 % quantile
SELECT df, t975, t80
FROM read_csv(
  getvariable('reference_dir') || '/t_quantile.csv',
  header = TRUE,
  columns = {'df': 'INTEGER', 't975': 'DOUBLE', 't80': 'DOUBLE'}
)
