-- summary: The two quantiles of Student's t that intervals and planning need: exact to 200 degrees of freedom, the normal ones beyond, NULL below 1.
-- columns: t975  97.5 % quantile: half width of a 95 % interval
--          t80   80 % quantile: the power that the smallest effect is stated for
-- param: freedom BIGINT  degrees of freedom
-- example: SELECT student_t(6)
SELECT CASE
    WHEN wanted > 200 THEN {'t975': 1.959963984540054::DOUBLE, 't80': 0.8416212335729143::DOUBLE}
    WHEN wanted >= 1 THEN {'t975': q.t975, 't80': q.t80}
  END
FROM (SELECT freedom::BIGINT AS wanted)
LEFT JOIN t_quantile AS q ON q.df = wanted
