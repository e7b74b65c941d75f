-- summary: A/B comparisons, each once: graph off against on, two commands or environments, A/A.
-- grain: event_id
-- columns: event_id         the event
--          origin           stream of the event
--          seq              place in that stream
--          recorded_us      when it was recorded, UTC microseconds
--          captured_us      when it was measured, UTC microseconds
--          session          recording command; NULL for imports
--          experiment_id    its own id
--          is_graph         graph off against graph on
--          is_aa            no change: both sides are the same
--          status           pass, fail or unstable
--          metric           metric
--          goal             maximize or minimize
--          factor           what the comparison is about
--          turns            abba, ab or none
--          value_a          base: median, or the headline pass
--          value_b          the other side
--          samples_a        runs of the base
--          samples_b        runs of the other side
--          lift             value_b / value_a
--          verdict          rung of the ladder; NULL for older records
--          ratio            estimate, above 1 is better
--          lo               lower end of its interval
--          hi               upper end
--          mde              smallest effect the runs could have shown
--          runs_needed      pairs or blocks for an mde of the band
--          grade            interleaved, one session, sessions or hosts
--          correct          all correctness commands passed; NULL when there were none
--          host             host
--          arch             GPU architecture
--          device_index     index of the device
--          visible          visibility variables
--          workload         name of the workload
--          phase            phase
--          shape_bucket     shape of the work
--          quant            quantisation
--          lever            graph for a graph A/B; NULL else
--          command_a        digest of the base's command
--          command_b        digest of the other side's
--          env_a            variant variables of the base
--          env_b            variant variables of the other side
--          profiled         launches were serialised on a side
--          binary_md5_a     digest of the base's program
--          binary_md5_b     digest of the other side's
--          binary_kind      elf, script, other or missing
--          code_objects_a   digest of the base's code-object folder
--          code_objects_b   digest of the other side's
--          git_sha          commit
--          git_state        clean, dirty or unknown
--          diff_md5         digest of the uncommitted change
--          parts            events of the runs it rests on
--          retracted_parts  those of them that were taken back
--          contested        it comes from a forked origin and takes part in no verdict
WITH once AS (
    SELECT *
    FROM ab_run
    WHERE event_id NOT IN (SELECT event_id FROM retracted)
    QUALIFY row_number() OVER (
        PARTITION BY
            coalesce(experiment_id, CAST(captured_us AS VARCHAR), event_id), metric, is_graph, host
        ORDER BY imported, recorded_us, event_id
    ) = 1
),
gone AS (
    SELECT coalesce(list(event_id), []) AS ids FROM retracted
)
SELECT
    a.event_id, a.origin, a.seq, a.recorded_us, a.captured_us, a.session, a.experiment_id,
    a.is_graph, a.is_aa, a.status, a.metric,
    coalesce(a.goal, metric_rule_of(a.metric).goal) AS goal,
    a.factor, a.turns, a.value_a, a.value_b, a.samples_a, a.samples_b, a.lift, a.verdict, a.ratio,
    a.lo, a.hi, a.mde, a.runs_needed, a.grade, a.correct, a.host, a.arch, a.device_index,
    a.visible,
    nullif(a.target.workload, 'unknown') AS workload,
    nullif(a.target.phase, 'unknown') AS phase,
    nullif(a.target.shape_bucket, 'unknown') AS shape_bucket,
    nullif(a.target.quant, 'unknown') AS quant,
    CASE WHEN a.is_graph THEN 'graph' END AS lever,
    a.command_a, a.command_b, a.env_a, a.env_b, a.profiled, a.binary_md5_a, a.binary_md5_b,
    a.binary_kind, a.code_objects_a, a.code_objects_b, a.git_sha, a.git_state, a.diff_md5, a.parts,
    list_intersect(a.parts, gone.ids) AS retracted_parts,
    c.event_id IS NOT NULL AS contested
FROM once a
CROSS JOIN gone
LEFT JOIN contested c ON c.event_id = a.event_id
