-- summary: Every step from one treatment of a workload to the next, judged under factor `code`: each series against the newest earlier one of another treatment, and against the newest earlier baseline where that is another.
-- grain: pair
-- columns: pair         the two series
--          against      previous or baseline: what the base is to the candidate
--          at_us        when the candidate was measured, UTC microseconds
--          is_newest    the candidate is the newest series of its workload and metric
--          workload     name of the workload
--          arch         GPU architecture
--          phase        phase
--          quant        quantisation
--          shape_bucket shape of the work
--          host         host
--          metric       metric
--          goal         maximize or minimize
--          verdict      the rung of the ladder
--          reason       why that rung, in words
--          ratio        candidate / base, inverted for minimize: above 1 is better
--          lo           lower end of the 95 % interval
--          hi           upper end
--          n_a          runs of the base
--          n_b          runs of the candidate
--          delta        half width of the band of no interest, a fraction
--          mde          smallest effect these runs could have shown, a fraction
--          runs_needed  runs a side for an mde of at most delta
--          grade        interleaved, one session, sessions or hosts
--          median_a     median of the base, in the metric's unit
--          median_b     median of the candidate
--          fields       what forbids the comparison
--          changed      what differs in the treatment
--          remarks      what weakens the verdict, in words
--          git_sha_a    commit of the base
--          git_sha_b    commit of the candidate
--          diff_md5_b   digest of the candidate's uncommitted change
--          series_a     series of the base
--          series_b     series of the candidate
--          ids_a        rows and events the base rests on
--          ids_b        rows and events the candidate rests on
WITH judged AS (
    FROM compared(_members := (
        SELECT CAST(to_json(list({pair: x.pair, side: x.side, id: x.id})) AS VARCHAR)
        FROM (
            SELECT s.pair, 'a' AS side, unnest(b.sample_ids) AS id
            FROM comparison_steps s JOIN series b ON b.series_id = s.base
            UNION ALL
            SELECT s.pair, 'b', unnest(c.sample_ids)
            FROM comparison_steps s JOIN series c ON c.series_id = s.candidate
        ) x
    ))
)
SELECT
    j.pair,
    s.against,
    s.at_us,
    s.is_newest,
    j.workload,
    j.arch,
    j.phase,
    j.quant,
    j.shape_bucket,
    j.host,
    j.metric,
    j.goal,
    j.verdict,
    j.reason,
    j.ratio,
    j.lo,
    j.hi,
    j.n_a,
    j.n_b,
    j.delta,
    j.mde,
    j.runs_needed,
    j.grade,
    j.median_a,
    j.median_b,
    j.fields,
    j.changed,
    j.remarks,
    a.git_sha AS git_sha_a,
    b.git_sha AS git_sha_b,
    b.diff_md5 AS diff_md5_b,
    s.base AS series_a,
    s.candidate AS series_b,
    a.ids AS ids_a,
    b.ids AS ids_b
FROM judged j
JOIN comparison_steps s USING (pair)
JOIN series a ON a.series_id = s.base
JOIN series b ON b.series_id = s.candidate
ORDER BY s.at_us, j.pair
