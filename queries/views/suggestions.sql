-- summary: Ranked ideas for the next experiment on a row, each with its rationale and what earlier tries of it brought. A suggestion forecasts nothing.
-- grain: row_id, rank
-- columns: row_id               the row it is about
--          id                   identity: equal inputs, equal id
--          rank                 place, from 1
--          score                score after history
--          score_before_history score before; NULL where history changed nothing
--          title                what to try
--          lever_type           kind of experiment
--          hot_kernel           kernel it is about; NULL where it is about the whole row
--          op                   {family, role} of that kernel
--          risk                 low, low/medium, medium, medium/high or high
--          expected_impact      the same, or indirect
--          allowed_files        files that may be edited
--          rationale            why, in words
--          candidate_steps      steps
--          history_key          what tries of the same lever on the same target are known by
--          history              {status: none|seen|inconclusive|rejected, match_count, best_speedup, task_ids}
--          history_entries      tries on record
--          target_entries       of them on this target
--          matched_entries      of them, tries of any suggestion for this row
--          demoted_suggestions  suggestions for this row that history demoted, shown or not
-- param: row_id VARCHAR = NULL  only this row
-- param: hot_limit INTEGER = 8  kernels of the profile that are looked at
-- param: max_suggestions INTEGER = 12  at most so many for a row
-- param: history VARCHAR = NULL  JSON array of further tries, as the view `tries` has them
WITH r AS MATERIALIZED (
    SELECT
        row_id, arch, workload, phase, shape_bucket, quant, env,
        metrics['rocprof_coverage_pct'] AS coverage,
        coalesce(
            metrics['gen_tokens'],
            TRY_CAST(nullif(regexp_extract(shape_bucket, 'gen([0-9]+)', 1), '') AS DOUBLE)
        ) AS tokens
    FROM rows
    WHERE status = 'ok' AND NOT contested AND ($row_id IS NULL OR row_id = $row_id)
),
fit AS MATERIALIZED (
    FROM fit_of($row_id)
),
hot AS MATERIALIZED (
    SELECT row_id, place, h.*, each_once(list_transform(h.refs, lambda x: x.path)) AS ref_paths
    FROM (SELECT row_id, unnest(hot) AS h, generate_subscripts(hot, 1) AS place FROM fit)
    WHERE place <= $hot_limit
),
try AS MATERIALIZED (
    SELECT * EXCLUDE (event_id) FROM (
        SELECT * FROM tries
        UNION ALL BY NAME
        SELECT unnest(from_json($history, '[{
            "event_id": "VARCHAR", "kind": "VARCHAR", "recorded_us": "BIGINT",
            "captured_us": "BIGINT", "task_id": "VARCHAR", "arch": "VARCHAR",
            "workload": "VARCHAR", "phase": "VARCHAR", "shape_bucket": "VARCHAR",
            "quant": "VARCHAR", "kernel": "VARCHAR", "lever": "VARCHAR",
            "suggestion_id": "VARCHAR", "history_key": "VARCHAR", "env": ["VARCHAR"],
            "metric": "VARCHAR", "status": "VARCHAR", "verdict": "VARCHAR", "ratio": "DOUBLE",
            "has_samples": "BOOLEAN", "rel_spread": "DOUBLE", "runs_needed": "BIGINT"
        }]'), recursive := true)
    )
    QUALIFY row_number() OVER (
        PARTITION BY
            kind, task_id, metric, coalesce(CAST(captured_us AS VARCHAR), event_id),
            arch, workload, phase, shape_bucket, quant
        ORDER BY has_samples DESC, event_id
    ) = 1
),
-- A known value that is unequal excludes; what is unknown does not.
near AS MATERIALIZED (
    SELECT r.row_id, t.*
    FROM r JOIN try t
        ON coalesce(t.arch = r.arch, TRUE) AND coalesce(t.workload = r.workload, TRUE)
        AND coalesce(t.phase = r.phase, TRUE) AND coalesce(t.quant = r.quant, TRUE)
        AND coalesce(t.shape_bucket = r.shape_bucket, TRUE)
),
about AS (
    SELECT
        row_id,
        arg_max({status: status, spread: rel_spread, needed: runs_needed}, {t: coalesce(captured_us, recorded_us), s: task_id})
            FILTER (kind = 'eval') AS newest,
        bool_or(lever = 'graph') AS graph_known
    FROM near GROUP BY row_id
),
known AS MATERIALIZED (
    SELECT
        r.*,
        f.hot AS kernels,
        f.unmatched,
        f.limit_text,
        f.found_by IS NOT NULL AND f.scope <> 'none' AS has_isa,
        f.matrix_unit AND f.instructions > 0
            AND list_filter(f.lanes, lambda x: x.lane = 'matrix/wmma')[1].instructions = 0 AS matrix_idle,
        a.newest,
        NOT list_has_any(r.env, ['HIPFIRE_GRAPH=1', 'HIPFIRE_GRAPH=true', 'HIPFIRE_GRAPH=on', 'HIPFIRE_GRAPH=yes']) AS graph_off,
        coalesce(a.graph_known, FALSE) AS graph_known,
        list_sum(list_transform(f.hot, lambda h: h.calls)) / nullif(r.tokens, 0) AS launches
    FROM r
    LEFT JOIN fit f USING (row_id)
    LEFT JOIN about a USING (row_id)
),
subject AS (
    SELECT
        row_id, TRUE AS per_kernel, kernel, pct, family, role, spills, waves, max_waves,
        top_source, ref_paths, env_controls, place
    FROM hot
    UNION ALL BY NAME
    SELECT row_id, FALSE AS per_kernel FROM known
),
-- What a rule is about where it names kernels: all of the profile that carry the name.
shared AS (
    SELECT k.row_id, l.rule, list_filter(k.kernels, lambda h: contains(lower(h.kernel), l.shared_name)) AS of
    FROM known k JOIN lever_rule l ON l.shared_name IS NOT NULL
),
small AS (
    SELECT
        row_id,
        flatten(list([top_source, ref_paths[1]] ORDER BY place)) AS files
    FROM hot
    WHERE role IN ('rope_rotate', 'normalization', 'qk_norm_scale')
       OR contains(kernel, 'mq_rotate') OR contains(kernel, 'gated_norm') OR contains(kernel, 'qk_l2_norm')
    GROUP BY row_id
),
applies AS (
    SELECT
        k.row_id,
        k.arch,
        l.*,
        coalesce(s.kernel, g.of[1].kernel) AS kernel,
        coalesce(s.pct, list_sum(list_transform(g.of, lambda h: h.pct))) AS pct,
        coalesce(s.family, g.of[1].family) AS family,
        coalesce(s.role, g.of[1].role) AS role,
        s.spills AS spilled,
        s.waves,
        s.max_waves,
        s.env_controls,
        k.coverage,
        k.unmatched,
        k.newest,
        k.launches,
        k.limit_text,
        CASE l.files
            WHEN 'top' THEN [s.top_source]
            WHEN 'top_refs' THEN list_concat([s.top_source], s.ref_paths[:2])
            WHEN 'refs' THEN s.ref_paths[:2]
            WHEN 'kernels_rs' THEN [s.top_source, 'crates/rdna-compute/src/kernels.rs', 'crates/rdna-compute/src/dispatch.rs']
            WHEN 'norms' THEN m.files
            WHEN 'paro' THEN coalesce(
                nullif(list_filter(flatten(list_transform(g.of, lambda h: [h.top_source, h.refs[1].path])), lambda x: x IS NOT NULL), []),
                ['kernels/src/gemv_paro4g128.hip', 'crates/rdna-compute/src/dispatch.rs']
            )
            ELSE []
        END AS own_files
    FROM subject s
    JOIN known k USING (row_id)
    JOIN lever_rule l USING (per_kernel)
    LEFT JOIN shared g ON g.row_id = k.row_id AND g.rule = l.rule
    LEFT JOIN small m ON m.row_id = k.row_id
    WHERE (l.roles IS NULL AND l.names IS NULL
            OR coalesce(list_contains(l.roles, s.role), FALSE)
            OR coalesce(len(list_filter(l.names, lambda n: contains(lower(s.kernel), n))) > 0, FALSE))
      AND (l.shared_name IS NULL OR round(list_sum(list_transform(g.of, lambda h: h.pct)), 6) >= l.shared_pct)
      AND (l.unless_name IS NULL OR coalesce(round(list_sum(list_transform(
            list_filter(k.kernels, lambda h: contains(lower(h.kernel), l.unless_name)), lambda h: h.pct
          )), 6), 0) < l.unless_pct)
      AND (l.arch IS NULL OR k.arch GLOB l.arch)
      AND (l.phase IS NULL OR starts_with(k.phase, l.phase))
      AND (l.matrix_idle IS NULL OR k.matrix_idle)
      AND (l.spills IS NULL OR s.spills > 0)
      AND (l.half_waves IS NULL OR coalesce(s.spills, 0) = 0 AND 2 * s.waves <= s.max_waves)
      AND (l.isa_gap IS NULL OR k.has_isa AND len(k.unmatched) > 0)
      AND (l.coverage_from IS NULL OR k.coverage >= l.coverage_from)
      AND (l.coverage_below IS NULL OR k.coverage < l.coverage_below)
      AND (l.is_unstable IS NULL OR k.newest.status = 'unstable')
      AND (l.wants_graph IS NULL OR k.graph_off AND (k.launches > 500 OR NOT k.graph_known))
      AND (l.has_source IS NULL OR s.top_source IS NOT NULL)
      AND (l.has_env IS NULL OR len(s.env_controls) > 0)
),
told AS (
    SELECT
        * EXCLUDE (title),
        replace(replace(title, '{kernel}', coalesce(kernel, '')), '{arch}', coalesce(arch, 'this card')) AS title
    FROM applies
),
made AS MATERIALIZED (
    SELECT
        t.* EXCLUDE (own_files),
        coalesce(each_once(t.own_files), []) AS allowed,
        t.score + coalesce(least(t.bonus_max, t.pct / t.bonus_per), 0) AS raw_score,
        'hist-' || sha256(concat_ws(chr(31),
            coalesce(r.arch, 'unknown'), coalesce(r.workload, 'unknown'), coalesce(r.phase, 'unknown'),
            coalesce(r.shape_bucket, 'unknown'), coalesce(r.quant, 'unknown'), coalesce(t.kernel, ''), t.lever
        ))[:12] AS history_key
    FROM told t JOIN r USING (row_id)
),
named AS MATERIALIZED (
    SELECT
        *,
        'sug-' || sha256(concat_ws(chr(31),
            title, lever, coalesce(kernel, ''), array_to_string(allowed, chr(30)), array_to_string(steps, chr(30))
        ))[:12] AS id
    FROM made
),
matched AS MATERIALIZED (
    SELECT DISTINCT n.row_id, n.id, t.*EXCLUDE (row_id)
    FROM named n JOIN near t ON t.row_id = n.row_id AND (
        t.suggestion_id = n.id
        OR t.history_key = n.history_key
        OR t.kernel IS NOT DISTINCT FROM n.kernel AND t.lever = n.lever
        OR t.kernel = n.kernel AND t.lever IS NULL AND (
            (contains(lower(n.title), 'multirow') OR contains(lower(array_to_string(n.steps, ' ')), 'multirow'))
            AND (contains(lower(t.task_id), 'multirow') OR len(list_filter(t.env, lambda e: starts_with(e, 'HIPFIRE_GEMV_ROWS='))) > 0)
            OR n.lever = 'env_sweep' AND len(list_filter(t.env, lambda e: starts_with(e, 'HIPFIRE_'))) > 0
        )
    )
),
-- Only a stable result that ran to its end says anything for or against a lever.
past AS (
    SELECT
        row_id,
        id,
        count(*) AS match_count,
        max(ratio) FILTER (status = 'pass') AS best_speedup,
        arg_max({v: verdict, s: has_samples, r: ratio}, ratio) FILTER (status = 'pass') AS best,
        bool_or(status = 'unstable' OR coalesce(verdict = 'unstable', FALSE)) AS shaky,
        list_sort(list(DISTINCT task_id) FILTER (task_id IS NOT NULL)) AS task_ids
    FROM matched GROUP BY row_id, id
),
weighed AS (
    SELECT
        n.*,
        p.match_count,
        p.best_speedup,
        p.task_ids,
        CASE
            WHEN p.id IS NULL THEN 'none'
            WHEN p.best.v IN ('slower', 'slower_small') THEN 'rejected'
            WHEN p.best.v IS NULL AND NOT p.best.s AND p.best.r < 1.0 THEN 'rejected'
            WHEN p.shaky THEN 'inconclusive'
            ELSE 'seen'
        END AS status
    FROM named n LEFT JOIN past p USING (row_id, id)
),
ranked AS (
    SELECT
        *,
        round(CASE WHEN status = 'rejected' THEN greatest(0, raw_score - 48) ELSE raw_score END, 4) AS final_score
    FROM weighed
),
placed AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY row_id ORDER BY final_score DESC, lever, title, id) AS rank
    FROM ranked
)
SELECT
    p.row_id,
    p.id,
    CAST(p.rank AS INTEGER) AS rank,
    p.final_score AS score,
    CASE WHEN p.status = 'rejected' THEN round(p.raw_score, 4) END AS score_before_history,
    p.title,
    p.lever AS lever_type,
    p.kernel AS hot_kernel,
    CASE WHEN p.family IS NOT NULL THEN {family: p.family, role: p.role} END AS op,
    p.risk,
    p.impact AS expected_impact,
    p.allowed AS allowed_files,
    list_filter([
        p.why,
        CASE WHEN p.pct IS NOT NULL THEN format('It holds {:.1f} % of the profile.', p.pct) END,
        CASE WHEN p.spills IS NOT NULL THEN format('{} registers are spilled.', p.spilled) END,
        CASE WHEN p.half_waves IS NOT NULL THEN format('{} of {} waves fit.', p.waves, p.max_waves) END,
        CASE WHEN p.isa_gap IS NOT NULL THEN 'Missing: ' || array_to_string(p.unmatched[:4], ', ')
            || CASE WHEN len(p.unmatched) > 4 THEN format(' and {} more.', len(p.unmatched) - 4) ELSE '.' END END,
        CASE WHEN p.coverage_below IS NOT NULL THEN format('rocprof coverage is {:.1f} %.', p.coverage) END,
        CASE WHEN p.is_unstable IS NOT NULL THEN format(
            'The runs spread by {} % of their median{}.',
            coalesce(format('{:.0f}', 100 * p.newest.spread), 'an unknown'),
            coalesce(format('; about {} runs a side are needed', p.newest.needed), '')
        ) END,
        CASE WHEN p.wants_graph IS NOT NULL THEN coalesce(
            format('The profile shows {:.0f} launches per generated token.', p.launches),
            'Graph was never compared on this target.'
        ) END,
        CASE WHEN p.has_env IS NOT NULL THEN 'Variables: ' || array_to_string(p.env_controls, ', ') || '.' END,
        CASE WHEN p.per_kernel THEN 'Fit read of the row: ' || p.limit_text || '.' END,
        CASE WHEN p.status = 'rejected' THEN format(
            'Tried before and slower: best ratio {:.4g} in {} tries.', p.best_speedup, p.match_count
        ) END,
        CASE WHEN p.status = 'inconclusive' THEN 'An earlier try was unstable: it says nothing for or against it.' END,
        CASE WHEN p.status = 'seen' AND p.best_speedup IS NOT NULL THEN format(
            'Tried before: best ratio {:.4g} in {} tries.', p.best_speedup, p.match_count
        ) END
    ], lambda x: x IS NOT NULL) AS rationale,
    p.steps AS candidate_steps,
    p.history_key,
    {
        status: p.status,
        match_count: coalesce(p.match_count, 0),
        best_speedup: p.best_speedup,
        task_ids: coalesce(p.task_ids, [])
    } AS history,
    (SELECT count(*) FROM try) AS history_entries,
    (SELECT count(*) FROM near n WHERE n.row_id = p.row_id) AS target_entries,
    (
        SELECT count(DISTINCT {k: m.kind, t: m.task_id, c: m.captured_us, r: m.recorded_us})
        FROM matched m WHERE m.row_id = p.row_id
    ) AS matched_entries,
    (
        SELECT count(*) FROM placed d WHERE d.row_id = p.row_id AND d.status = 'rejected'
    ) AS demoted_suggestions
FROM placed p
WHERE p.rank <= $max_suggestions
ORDER BY p.row_id, p.rank
