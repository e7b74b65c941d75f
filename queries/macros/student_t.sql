-- summary: The two quantiles of Student's t that intervals and planning need: exact to 200 degrees of freedom, the normal ones beyond, NULL below 1.
-- columns: t975   97.5 % quantile: half width of a 95 % interval
--          t80    80 % quantile: the power that the smallest effect is stated for
--          power  their sum
-- param: freedom BIGINT  degrees of freedom
-- example: SELECT student_t(6)
SELECT CASE
    WHEN freedom > 200
    THEN {
      't975': 1.959963984540054::DOUBLE,
      't80': 0.8416212335729143::DOUBLE,
      'power': 2.8015852181129683::DOUBLE
    }
    WHEN freedom >= 1
    THEN (
      SELECT list({'t975': t975, 't80': t80, 'power': t975 + t80} ORDER BY df) FROM t_quantile
    )[freedom]
  END
