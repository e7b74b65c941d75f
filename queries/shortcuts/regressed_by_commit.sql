-- summary: Commits after which a workload got slower, by the verdict of each step from one treatment to the next.
-- grain: git_sha, host, arch, workload, phase, quant, shape_bucket, metric, measured, against
-- columns: git_sha       commit, shortened; with a dirty worktree the change is not the commit's alone
--          before        commit it is compared with, shortened
--          measured      when, UTC
--          host          host
--          arch          GPU architecture
--          workload      name of the workload
--          phase         phase
--          quant         quantisation
--          shape_bucket  shape of the work
--          metric        metric
--          verdict       slower or slower_small
--          ratio         candidate / base, below 1 is worse
--          lo            lower end of its interval
--          hi            upper end
--          n_a           runs before
--          n_b           runs after
--          against       previous or baseline
--          changed       what differs in the treatment
-- param: arch VARCHAR = NULL  only this architecture
-- param: host VARCHAR = NULL  only this host
-- param: phase VARCHAR = NULL  only this phase
-- param: limit INTEGER = 50  at most so many
-- example: atlas query regressed-by-commit --arch gfx1100
SELECT
    c.git_sha_b[:10] || CASE WHEN c.diff_md5_b IS NULL THEN '' ELSE ' (dirty)' END AS git_sha,
    c.git_sha_a[:10] AS before,
    make_timestamp(c.at_us) AS measured,
    c.host,
    c.arch,
    c.workload,
    c.phase,
    c.quant,
    c.shape_bucket,
    c.metric,
    c.verdict,
    c.ratio,
    c.lo,
    c.hi,
    c.n_a,
    c.n_b,
    c.against,
    list_transform(c.changed, lambda x: x.field) AS changed
FROM comparisons c
WHERE c.verdict IN ('slower', 'slower_small')
  AND ($arch IS NULL OR c.arch = $arch)
  AND ($host IS NULL OR c.host = $host)
  AND ($phase IS NULL OR c.phase = $phase)
ORDER BY c.ratio, c.at_us DESC, c.pair
LIMIT $limit
