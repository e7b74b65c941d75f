-- summary: Two sides of runs compared, workload by workload: whether they may be compared under the factor, field by field, and the verdict.
-- grain: pair
-- columns: pair         name of the pair: as given, else a digest of the workload they share
--          workload     name of the workload
--          arch         GPU architecture
--          phase        phase
--          quant        quantisation
--          shape_bucket shape of the work
--          host         host, or both hosts
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
--          runs_needed  runs a side (pairs, blocks) for an mde of at most delta
--          grade        interleaved, one session, sessions or hosts: each weaker than the one before
--          s            standard deviation of logarithms behind mde
--          floor_s      noise of this host known from A/A runs; NULL when unknown
--          median_a     median of the base, in the metric's unit
--          median_b     median of the candidate
--          stability_a  stable, unstable or unknown
--          stability_b  the same of the candidate
--          outliers_a   positions of flagged base runs, from 1
--          outliers_b   positions of flagged candidate runs
--          fields       what forbids the comparison: {field, state: differs|unknown|mixed, a, b}
--          changed      what differs in the treatment, the factor included: the same struct
--          remarks      what weakens the verdict, in words
--          samples_a    runs of the base in the order they ran
--          samples_b    runs of the candidate
--          series_a     series the base comes from
--          series_b     series of the candidate
--          p            permutation p, shown only on request: it decides nothing
--          p_adjusted   the same after Benjamini-Hochberg over all pairs
-- param: members VARCHAR  JSON array of {pair, side: a|b, id}: samples of each side; pair null = by workload
-- param: factor VARCHAR = 'code'  code, env:NAME, host or aa
-- param: delta DOUBLE = NULL  smallest change of interest; default by metric
-- param: explain BOOLEAN = FALSE  give a permutation p
-- example: atlas compare git_sha=3f2a git_sha=9b41
WITH member AS (
    SELECT unnest(from_json(
        $members, '[{"pair": "VARCHAR", "side": "VARCHAR", "id": "VARCHAR"}]'
    ), recursive := true)
),
chosen AS (
    SELECT
        m.pair AS given,
        m.side,
        s.*,
        CASE WHEN $factor <> 'host' THEN s.host END AS own_host,
        list_filter(s.env, lambda e: NOT starts_with(e, replace($factor, 'env:', '') || '=')
            OR NOT starts_with($factor, 'env:')) AS own_env
    FROM (SELECT DISTINCT pair, side, id FROM member) m
    JOIN samples s ON s.sample_id = m.id
),
keyed AS (
    SELECT
        *,
        md5(concat_ws(chr(31), metric, own_host, keyed_by, coalesce(arch, ''),
            coalesce(device_index::VARCHAR, ''), coalesce(visible, ''), coalesce(quant, ''),
            coalesce(phase, ''), coalesce(shape_bucket, ''), coalesce(kv_mode, ''),
            coalesce(model_md5, model_file, ''), coalesce(draft_md5, ''), coalesce(prompt_md5, ''),
            profiled, coalesce(target, ''), CASE WHEN keyed_by = 'command' THEN command END,
            array_to_string(own_env, chr(30))))[:12] AS own_key
    FROM chosen
),
-- Where one side has but one workload, it is compared with whatever stands on the other, so that
-- what differs is told rather than that nothing matches.
counted AS (
    SELECT
        count(DISTINCT own_key) FILTER (side = 'a') AS keys_a,
        count(DISTINCT own_key) FILTER (side = 'b') AS keys_b,
        len(list_intersect(
            list(DISTINCT own_key) FILTER (side = 'a'), list(DISTINCT own_key) FILTER (side = 'b')
        )) AS common
    FROM keyed
),
sided AS (
    SELECT k.* EXCLUDE (given), coalesce(k.given, other.own_key, k.own_key) AS pair
    FROM keyed k
    CROSS JOIN counted c
    LEFT JOIN (SELECT DISTINCT side, own_key FROM keyed) other
        ON k.given IS NULL AND c.common = 0 AND other.side <> k.side
        AND ((c.keys_a = 1 AND (c.keys_b > 1 AND k.side = 'a' OR c.keys_b = 1 AND k.side = 'b'))
            OR (c.keys_b = 1 AND c.keys_a > 1 AND k.side = 'b'))
),
side AS (
    SELECT
        pair,
        side,
        list(value ORDER BY turn, at_us, sample_id) AS runs,
        list(sample_id) AS ids,
        list_sort(list(DISTINCT series_id)) AS series,
        list(DISTINCT session) AS sessions,
        list_sort(list(DISTINCT host)) AS hosts,
        list(DISTINCT arm) AS arms,
        list_sort(list(turn)) AS turns,
        max(turn_runs) AS turn_runs,
        any_value(metric) AS metric,
        any_value(goal) AS goal,
        any_value(delta) AS delta,
        any_value(workload) AS workload,
        any_value(arch) AS arch,
        any_value(device_index) AS device_index,
        any_value(phase) AS phase,
        any_value(quant) AS quant,
        any_value(shape_bucket) AS shape_bucket,
        bool_or(weak) AS weak,
        bool_or(NOT correct) AS incorrect,
        bool_or(correct) AS checked,
        bool_or(is_script OR is_script IS NULL) AS by_script,
        list(DISTINCT command) AS commands,
        bool_or(command IS NULL) AS command_gaps,
        count(*) FILTER (cold) AS cold,
        bool_or(profiled) AS profiled,
        bool_or(git_state = 'dirty') AS dirty,
        bool_or(disposition = 'rejected') AS rejected,
        bool_or(needs_prompt) AS needs_prompt,
        bool_or(keyed_by = 'command') AS by_command
    FROM sided
    GROUP BY pair, side
),
told AS (
    SELECT pair, side, unnest([
        {f: 'metric', kind: 'workload', v: metric, alt: NULL},
        {f: 'host', kind: 'command', v: host, alt: NULL},
        {f: 'kind of program', kind: 'workload', v: keyed_by, alt: NULL},
        {f: 'target', kind: 'target', v: target, alt: NULL},
        {f: 'command', kind: 'target', v: command, alt: NULL},
        {f: 'prompt_md5', kind: 'workload', v: prompt_md5, alt: NULL},
        {f: 'model', kind: 'workload', v: model_md5, alt: model_file},
        {f: 'draft_md5', kind: 'workload', v: draft_md5, alt: NULL},
        {f: 'arch', kind: 'workload', v: arch, alt: NULL},
        {f: 'device_index', kind: 'workload', v: CAST(device_index AS VARCHAR), alt: NULL},
        {f: 'visible', kind: 'workload', v: coalesce(visible, '(unset)'), alt: NULL},
        {f: 'quant', kind: 'workload', v: quant, alt: NULL},
        {f: 'phase', kind: 'workload', v: phase, alt: NULL},
        {f: 'shape_bucket', kind: 'workload', v: shape_bucket, alt: NULL},
        {f: 'kv_mode', kind: 'workload', v: kv_mode, alt: NULL},
        {f: 'profiled', kind: 'workload', v: CAST(profiled AS VARCHAR), alt: NULL},
        {f: 'git_sha', kind: 'treatment', v: git_sha, alt: NULL},
        {
            f: 'tree', kind: 'treatment',
            v: CASE git_state WHEN 'clean' THEN 'clean' WHEN 'dirty' THEN tree_md5 END,
            alt: CASE git_state WHEN 'clean' THEN 'clean' WHEN 'dirty' THEN diff_md5 END
        },
        {f: 'binary_md5', kind: 'treatment', v: binary_md5, alt: NULL},
        {f: 'code_objects', kind: 'treatment', v: code_objects, alt: NULL},
        {f: 'versions', kind: 'treatment', v: 'HIP ' || hip_version, alt: 'ROCm ' || rocm_version}
    ], recursive := true)
    FROM sided
    UNION ALL BY NAME
    SELECT pair, side, 'env:' || split_part(e, '=', 1) AS f, 'command' AS kind, substr(e, strpos(e, '=') + 1) AS v, NULL AS alt
    FROM (SELECT pair, side, unnest(env) AS e FROM sided)
),
-- A variable that is not set has no entry: what is missing to the number of runs is `(unset)`.
known AS (
    SELECT
        t.pair,
        t.f,
        any_value(t.kind) AS kind,
        t.side,
        coalesce(list_sort(list(DISTINCT t.v) FILTER (t.v IS NOT NULL)), []) AS v,
        count(t.v) < any_value(n.runs) AS gaps,
        coalesce(list_sort(list(DISTINCT t.alt) FILTER (t.alt IS NOT NULL)), []) AS alt,
        count(t.alt) < any_value(n.runs) AS alt_gaps
    FROM told t
    JOIN (SELECT pair, side, len(runs) AS runs FROM side) n USING (pair, side)
    GROUP BY t.pair, t.f, t.side
),
folder AS (
    SELECT DISTINCT s.pair, s.code_objects AS digest, c.entries
    FROM sided s LEFT JOIN code_object_sets c ON c.digest = s.code_objects
),
growth AS (
    SELECT f.pair, bool_and(coalesce(list_has_all(l.largest, f.entries), FALSE)) AS grew
    FROM folder f
    JOIN (SELECT pair, arg_max(entries, len(entries)) AS largest FROM folder GROUP BY pair) l USING (pair)
    GROUP BY f.pair
),
facing AS (
    SELECT
        coalesce(a.pair, b.pair) AS pair,
        coalesce(a.f, b.f) AS field,
        coalesce(a.kind, b.kind) AS kind,
        CASE
            WHEN NOT starts_with(coalesce(a.f, b.f), 'env:') THEN coalesce(a.v, [])
            WHEN coalesce(a.gaps, TRUE) THEN list_append(coalesce(a.v, []), '(unset)')
            ELSE a.v
        END AS va,
        CASE
            WHEN NOT starts_with(coalesce(a.f, b.f), 'env:') THEN coalesce(b.v, [])
            WHEN coalesce(b.gaps, TRUE) THEN list_append(coalesce(b.v, []), '(unset)')
            ELSE b.v
        END AS vb,
        NOT starts_with(coalesce(a.f, b.f), 'env:') AND (a.gaps OR b.gaps) AS gaps,
        coalesce(a.alt, []) AS wa,
        coalesce(b.alt, []) AS wb,
        a.alt_gaps OR b.alt_gaps AS alt_gaps
    FROM (FROM known WHERE side = 'a') a
    FULL JOIN (FROM known WHERE side = 'b') b ON a.pair = b.pair AND a.f = b.f
),
pairing AS (
    SELECT
        coalesce(a.pair, b.pair) AS pair,
        a AS a,
        b AS b,
        coalesce(a.by_command OR b.by_command, FALSE) AS by_command,
        coalesce(a.needs_prompt OR b.needs_prompt, TRUE) AS needs_prompt
    FROM (FROM side WHERE side = 'a') a FULL JOIN (FROM side WHERE side = 'b') b ON a.pair = b.pair
),
stated AS (
    SELECT
        x.*,
        -- What decides is shown: both digests, else what stands in for them.
        CASE
            WHEN x.field = 'versions' THEN list_concat(x.va, x.wa)
            WHEN len(x.va) > 0 AND (len(x.vb) > 0 OR len(x.wb) = 0) OR len(x.wa) = 0 THEN x.va
            ELSE x.wa
        END AS shown_a,
        CASE
            WHEN x.field = 'versions' THEN list_concat(x.vb, x.wb)
            WHEN len(x.vb) > 0 AND (len(x.va) > 0 OR len(x.wa) = 0) OR len(x.wb) = 0 THEN x.vb
            ELSE x.wb
        END AS shown_b,
        CASE
            WHEN p.by_command AND x.kind = 'workload' AND x.field NOT IN ('metric', 'kind of program')
                THEN 'not applicable'
            WHEN NOT p.by_command AND x.kind = 'target' THEN 'not applicable'
            WHEN x.field = 'code_objects' AND g.grew
                THEN CASE WHEN x.va = x.vb THEN 'equal' ELSE 'grew' END
            WHEN len(x.va) > 1 OR len(x.vb) > 1 THEN 'mixed'
            WHEN x.field = 'versions' AND x.wa <> x.wb AND NOT x.alt_gaps THEN 'differs'
            WHEN len(x.va) = 1 AND len(x.vb) = 1 AND NOT x.gaps THEN CASE
                WHEN x.va = x.vb THEN 'equal'
                WHEN x.field = 'git_sha' AND (starts_with(x.va[1], x.vb[1]) OR starts_with(x.vb[1], x.va[1]))
                    THEN 'equal'
                ELSE 'differs'
            END
            WHEN len(x.wa) > 1 OR len(x.wb) > 1 THEN 'mixed'
            WHEN len(x.wa) = 1 AND len(x.wb) = 1 AND NOT x.alt_gaps
                THEN CASE WHEN x.wa = x.wb THEN 'equal' ELSE 'differs' END
            WHEN len(x.va) + len(x.vb) = 0 AND (
                x.field = 'device_index'
                OR x.field IN ('prompt_md5', 'draft_md5') AND NOT p.needs_prompt
                OR p.by_command AND x.kind IN ('treatment', 'target')
            ) THEN 'accepted'
            ELSE 'unknown'
        END AS state
    FROM facing x JOIN pairing p USING (pair) LEFT JOIN growth g USING (pair)
    WHERE p.a.pair IS NOT NULL AND p.b.pair IS NOT NULL
),
decided AS (
    SELECT
        pair,
        list({
            field: field,
            state: state,
            a: nullif(array_to_string(shown_a, ' | '), ''),
            b: nullif(array_to_string(shown_b, ' | '), ''),
            forbids: state IN ('differs', 'unknown', 'mixed') AND NOT coalesce(CASE
                -- Under `code` the treatment may differ and be unknown, but a side is one treatment.
                WHEN $factor = 'code' THEN kind = 'treatment' AND state <> 'mixed'
                WHEN $factor = 'host' THEN field = 'host' AND state = 'differs'
                WHEN starts_with($factor, 'env:') THEN state <> 'mixed' AND field IN ($factor, 'code_objects')
            END, FALSE),
            shown: (kind = 'treatment' OR field = $factor OR field = 'host' AND $factor = 'host')
                AND state IN ('differs', 'unknown', 'mixed', 'grew')
        } ORDER BY field) AS states,
        bool_and(state = 'equal') FILTER (field = 'binary_md5' OR starts_with(field, 'env:')) AS same_program,
        bool_and(state IN ('equal', 'grew')) FILTER (field = 'code_objects') AS same_objects
    FROM stated
    GROUP BY pair
),
ready AS (
    SELECT
        p.pair,
        p.a,
        p.b,
        CASE
            WHEN p.a.pair IS NULL THEN [{field: 'workload', state: 'only in B', a: NULL, b: NULL}]
            WHEN p.b.pair IS NULL THEN [{field: 'workload', state: 'only in A', a: NULL, b: NULL}]
            ELSE list_concat(
                CASE WHEN list_has_any(p.a.ids, p.b.ids) THEN [{field: 'runs', state: 'shared by both sides', a: NULL, b: NULL}] ELSE [] END,
                list_transform(list_filter(d.states, lambda x: x.forbids), lambda x: {field: x.field, state: x.state, a: x.a, b: x.b})
            )
        END AS fields,
        list_transform(
            list_filter(coalesce(d.states, []), lambda x: x.shown),
            lambda x: {field: x.field, state: x.state, a: x.a, b: x.b}
        ) AS changed,
        list_filter(coalesce(d.states, []), lambda x: x.state IN ('accepted', 'grew')) AS noted,
        $factor = 'code' AND coalesce(d.same_program AND d.same_objects, FALSE)
            AND p.a.commands = p.b.commands AND len(p.a.commands) = 1
            AND NOT (p.a.command_gaps OR p.b.command_gaps)
            AND NOT (p.a.by_script OR p.b.by_script) AS identical,
        coalesce(p.a.sessions = p.b.sessions AND len(p.a.sessions) = 1
            AND p.a.arms <> p.b.arms AND len(p.a.arms) = 1 AND len(p.b.arms) = 1
            AND p.a.turns = p.b.turns AND len(p.a.turns) = len(p.a.runs)
            AND len(p.b.turns) = len(p.b.runs), FALSE) AS paired
    FROM pairing p LEFT JOIN decided d USING (pair)
),
floored AS (
    SELECT
        r.*,
        CASE WHEN r.paired THEN n.s_paired ELSE n.s END AS floor_s
    FROM ready r
    LEFT JOIN aa_noise n
        ON r.a.hosts = r.b.hosts AND n.host = r.a.hosts[1] AND n.metric = r.a.metric
        AND n.arch IS NOT DISTINCT FROM r.a.arch
        AND n.device_index IS NOT DISTINCT FROM r.a.device_index
),
judged AS (
    SELECT
        *,
        judge(
            a.runs,
            b.runs,
            goal := coalesce(a.goal, b.goal),
            delta := coalesce($delta, a.delta, b.delta),
            paired := paired,
            block := a.turn_runs,
            floor_s := floor_s,
            incomparable := list_transform(fields, lambda x: x.field || ' ' || x.state),
            identical := identical,
            incorrect := coalesce(a.incorrect, FALSE) OR coalesce(b.incorrect, FALSE),
            weak := coalesce(a.weak, FALSE)
        ) AS t,
        permutation_p(
            CASE WHEN $explain AND len(fields) = 0 THEN log_values(a.runs) END,
            CASE WHEN $explain AND len(fields) = 0 THEN log_values(b.runs) END,
            paired := paired AND a.turn_runs = 1
        ) AS p
    FROM floored
),
placed AS (
    SELECT *, row_number() OVER (ORDER BY pair) AS place FROM judged
)
SELECT
    pair,
    coalesce(a.workload, b.workload) AS workload,
    coalesce(a.arch, b.arch) AS arch,
    coalesce(a.phase, b.phase) AS phase,
    coalesce(a.quant, b.quant) AS quant,
    coalesce(a.shape_bucket, b.shape_bucket) AS shape_bucket,
    array_to_string(list_distinct(list_concat(coalesce(a.hosts, []), coalesce(b.hosts, []))), ' | ') AS host,
    coalesce(a.metric, b.metric) AS metric,
    coalesce(a.goal, b.goal) AS goal,
    t.verdict AS verdict,
    t.reason AS reason,
    t.ratio AS ratio,
    t.lo AS lo,
    t.hi AS hi,
    t.n_a AS n_a,
    t.n_b AS n_b,
    t.delta AS delta,
    t.mde AS mde,
    t.runs_needed AS runs_needed,
    evidence_grade(
        paired,
        a.sessions = b.sessions AND len(a.sessions) = 1,
        a.hosts = b.hosts AND len(a.hosts) = 1
    ) AS grade,
    t.s AS s,
    floor_s,
    t.median_a AS median_a,
    t.median_b AS median_b,
    t.stability_a AS stability_a,
    t.stability_b AS stability_b,
    t.outliers_a AS outliers_a,
    t.outliers_b AS outliers_b,
    fields,
    changed,
    list_filter([
        CASE WHEN a.profiled OR b.profiled THEN 'profiled runs: launches are serialised, this says where time goes, not how fast it is' END,
        CASE WHEN coalesce(a.cold, 0) + coalesce(b.cold, 0) > 0 THEN format('cold starts among the runs: {} and {}', coalesce(a.cold, 0), coalesce(b.cold, 0)) END,
        CASE WHEN a.dirty OR b.dirty THEN 'a worktree was dirty' END,
        CASE WHEN a.rejected OR b.rejected THEN 'a side was rejected by a person' END,
        CASE WHEN NOT coalesce(a.checked AND b.checked, FALSE) THEN 'perf-only: no correctness result' END,
        CASE WHEN list_contains(list_transform(noted, lambda x: x.field || x.state), 'device_indexaccepted') THEN 'device index unknown on both sides' END,
        CASE WHEN list_contains(list_transform(noted, lambda x: x.state), 'grew') THEN 'the code-object folder only grew' END,
        CASE WHEN floor_s IS NULL THEN 'A/A noise of this host unknown' END
    ], lambda x: x IS NOT NULL) AS remarks,
    a.runs AS samples_a,
    b.runs AS samples_b,
    a.series AS series_a,
    b.series AS series_b,
    p,
    benjamini_hochberg((SELECT list(q.p ORDER BY q.place) FROM placed q))[place] AS p_adjusted
FROM placed
ORDER BY pair
