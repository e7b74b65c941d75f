-- summary: The numbers a fit read rests on: which inspected kernels a row's profile names, what they need, and the shares of their instructions.
-- grain: row_id
-- columns: row_id          the row
--          scope          profile-matched (only matched kernels), profile-unmatched (none matched: all inspected), all-inspected (no profile) or none (no ISA)
--          found_by       manifest, code objects or given file
--          manifest_event event of the ISA manifest
--          dispatch_event event of the dispatch manifest
--          set_id         the images, as in isa_members
--          in_scope       kernels in scope, each code once
--          whole          of them, how many are counted by their whole object
--          instructions   instructions in scope; hints and padding are in no total
--          matrix         of them, matrix instructions
--          vmem           share of the lane that the read uses
--          valu           share of the lane that the read uses
--          shares         which shares those are: time-weighted when a profile matched, else static
--          lanes          {lane, instructions, static, weighted} in the order of the lanes
--          hot            kernels of the profile, hottest first, with what their code needs and where they are mentioned
--          max_vgpr       most vector registers in scope
--          max_sgpr       most scalar registers
--          max_spills     most spilled registers
--          max_lds        most bytes of local memory
--          wavefronts     lanes of a wave
--          min_waves      smallest static limit of waves on a SIMD
--          max_waves      waves a SIMD can hold for that kernel
--          spilling       kernels in scope that spill
--          limited        kernels that don't spill and whose registers allow half the waves or fewer
--          others         other producers whose counts are in the scope
-- param: row_id VARCHAR = NULL  only this row
WITH r AS MATERIALIZED (
    SELECT row_id, event_id, ordinal FROM rows WHERE $row_id IS NULL OR row_id = $row_id
),
isa AS MATERIALIZED (
    FROM isa_of_row($row_id)
),
unit AS MATERIALIZED (
    FROM fit_scope($row_id)
),
printed AS MATERIALIZED (
    SELECT r.row_id, k.* FROM profile_kernel k JOIN r USING (event_id, ordinal)
),
operation AS (
    SELECT kernel, op_of(kernel) AS derived FROM (SELECT DISTINCT kernel FROM printed)
),
named AS (
    SELECT
        p.row_id, p.kernel, min(position) AS position, sum(calls)::BIGINT AS calls, sum(total_ms) AS total_ms,
        CASE WHEN count(*) = 1 THEN any_value(avg_us) END AS said_us, sum(pct) AS said_pct,
        arg_min(gib_s, position) AS gib_s, arg_min(coalesce(stored_op, derived), position) AS op
    FROM printed p JOIN operation USING (kernel)
    GROUP BY p.row_id, p.kernel
),
hot AS MATERIALIZED (
    SELECT
        *, regexp_replace(kernel, '\.kd$', '') AS name,
        coalesce(said_us, round(1000 * total_ms / nullif(calls, 0), 3)) AS avg_us,
        coalesce(said_pct, 100 * total_ms / nullif(sum(total_ms) OVER (PARTITION BY row_id), 0)) AS pct
    FROM named
),
spelling AS (
    SELECT DISTINCT set_id, arch, unit, unnest(spelled) AS name FROM unit
),
match AS MATERIALIZED (
    SELECT DISTINCT h.row_id, h.kernel, i.set_id, i.arch, s.unit
    FROM hot h JOIN isa i USING (row_id)
    JOIN spelling s ON s.set_id = i.set_id AND s.arch IS NOT DISTINCT FROM i.arch AND s.name = h.name
),
chosen AS MATERIALIZED (
    SELECT row_id, i.set_id, i.arch, CASE
        WHEN row_id IN (SELECT row_id FROM match) THEN 'profile-matched'
        WHEN row_id IN (SELECT row_id FROM hot) THEN 'profile-unmatched'
        ELSE 'all-inspected'
    END AS scope
    FROM isa i
),
scoped AS MATERIALIZED (
    SELECT c.row_id, c.scope, u.*
    FROM chosen c JOIN unit u ON u.set_id = c.set_id AND u.arch IS NOT DISTINCT FROM c.arch
    WHERE CASE WHEN c.scope = 'profile-matched'
        THEN (c.row_id, u.unit) IN (SELECT (row_id, unit) FROM match) ELSE u.own END
),
need AS (
    SELECT
        row_id, any_value(scope) AS scope, count(*) AS in_scope, count(*) FILTER (WHERE whole) AS whole,
        max(vgpr) AS max_vgpr, max(sgpr) AS max_sgpr, max(spills) AS max_spills, max(lds) AS max_lds,
        list(DISTINCT wavefront ORDER BY wavefront) FILTER (WHERE wavefront IS NOT NULL) AS wavefronts,
        min(waves) AS min_waves, arg_min(max_waves, waves) AS max_waves,
        list(DISTINCT kernel ORDER BY kernel) FILTER (WHERE spills > 0) AS spilling,
        list(DISTINCT kernel ORDER BY kernel)
            FILTER (WHERE coalesce(spills, 0) = 0 AND 2 * waves <= max_waves) AS limited,
        list(DISTINCT producer ORDER BY producer) FILTER (WHERE producer <> 'kernel-atlas') AS others
    FROM scoped GROUP BY row_id
),
counted AS MATERIALIZED (
    SELECT row_id, mix_unit, coalesce(l.lane, 'other') AS lane, sum(m.value) AS n
    FROM (
        SELECT row_id, mix_unit, unnest(map_entries(mix)) AS m
        FROM (SELECT DISTINCT ON (row_id, mix_unit) row_id, mix_unit, mix FROM scoped)
    )
    LEFT JOIN fit_lane l ON l.category = m.key
    WHERE m.key <> 'sched'
    GROUP BY ALL
),
total AS (
    SELECT row_id, sum(n) AS n FROM counted GROUP BY row_id
),
static AS (
    SELECT row_id, lane, sum(n) AS n FROM counted GROUP BY row_id, lane
),
timed AS MATERIALIZED (
    SELECT DISTINCT h.row_id, h.kernel, h.pct, s.mix_unit
    FROM hot h JOIN match m USING (row_id, kernel) JOIN scoped s ON s.row_id = m.row_id AND s.unit = m.unit
    WHERE h.pct > 0
),
of_kernel AS (
    SELECT
        t.row_id, t.kernel, any_value(t.pct) AS pct, c.lane,
        sum(c.n) / sum(sum(c.n)) OVER (PARTITION BY t.row_id, t.kernel) AS share
    FROM timed t JOIN counted c USING (row_id, mix_unit)
    GROUP BY t.row_id, t.kernel, c.lane
),
weight AS (
    SELECT row_id, sum(pct) AS pct
    FROM (SELECT DISTINCT t.row_id, t.kernel, t.pct FROM timed t SEMI JOIN counted c USING (row_id, mix_unit))
    GROUP BY row_id
),
weighted AS (
    SELECT k.row_id, k.lane, sum(k.pct * k.share) / any_value(w.pct) AS share
    FROM of_kernel k JOIN weight w USING (row_id)
    GROUP BY k.row_id, k.lane
),
laned AS (
    SELECT
        n.row_id, l.ordinal, l.lane, CAST(coalesce(s.n, 0) AS BIGINT) AS n, t.n AS total,
        CASE WHEN t.n > 0 THEN coalesce(s.n / t.n, 0.0) END AS static,
        CASE WHEN w.pct > 0 THEN round(coalesce(k.share, 0.0), 9) END AS weighted
    FROM need n
    CROSS JOIN (SELECT DISTINCT ordinal, lane FROM fit_lane) l
    LEFT JOIN total t ON t.row_id = n.row_id
    LEFT JOIN static s ON s.row_id = n.row_id AND s.lane = l.lane
    LEFT JOIN weight w ON w.row_id = n.row_id
    LEFT JOIN weighted k ON k.row_id = n.row_id AND k.lane = l.lane
),
lane AS (
    SELECT
        row_id, CAST(coalesce(max(total), 0) AS BIGINT) AS instructions,
        max(n) FILTER (WHERE lane = 'matrix/wmma') AS matrix,
        max(coalesce(weighted, static)) FILTER (WHERE lane = 'vmem') AS vmem,
        max(coalesce(weighted, static)) FILTER (WHERE lane = 'valu') AS valu,
        CASE WHEN count(weighted) > 0 THEN 'time-weighted' WHEN count(static) > 0 THEN 'static' END AS shares,
        list({lane: lane, instructions: n, static: static, weighted: weighted} ORDER BY ordinal) AS lanes
    FROM laned GROUP BY row_id
),
own AS (
    SELECT
        m.row_id, m.kernel, count(*) AS variants, max(u.vgpr) AS vgpr, max(u.sgpr) AS sgpr, max(u.lds) AS lds,
        max(u.spills) AS spills, max(u.wavefront) AS wavefront, min(u.waves) AS waves,
        arg_min(u.max_waves, u.waves) AS max_waves
    FROM match m JOIN unit u ON u.set_id = m.set_id AND u.arch IS NOT DISTINCT FROM m.arch AND u.unit = m.unit
    GROUP BY m.row_id, m.kernel
),
tree AS MATERIALIZED (
    FROM dispatch_of_row($row_id)
),
place AS (
    SELECT
        t.row_id, regexp_replace(e.kernel, '\.kd$', '') AS name,
        arg_min({
            source: e.top_source, ref: e.top_ref, controls: e.env_controls, sources: e.sources, refs: e.refs
        }, e.position) AS at
    FROM tree t JOIN dispatch_entries e ON e.event_id = t.manifest_event AND e.entry = t.entry
    GROUP BY ALL
),
profile AS (
    SELECT
        h.row_id,
        list({
            kernel: h.kernel, position: h.position, pct: h.pct, calls: h.calls, avg_us: h.avg_us,
            gib_s: h.gib_s, family: h.op.family, role: h.op.role, matched: o.kernel IS NOT NULL,
            variants: coalesce(o.variants, 0), vgpr: o.vgpr, sgpr: o.sgpr, lds: o.lds, spills: o.spills,
            wavefront: o.wavefront, waves: o.waves, max_waves: o.max_waves, top_source: p.at.source,
            top_ref: p.at.ref, env_controls: coalesce(p.at.controls, []),
            sources: coalesce(p.at.sources, []), refs: coalesce(p.at.refs, [])
        } ORDER BY h.pct DESC NULLS LAST, h.position) AS hot
    FROM hot h
    LEFT JOIN own o ON o.row_id = h.row_id AND o.kernel = h.kernel
    LEFT JOIN place p ON p.row_id = h.row_id AND p.name = h.name
    GROUP BY h.row_id
)
SELECT
    r.row_id,
    coalesce(n.scope, 'none') AS scope,
    i.found_by,
    i.manifest_event,
    t.manifest_event AS dispatch_event,
    i.set_id,
    coalesce(n.in_scope, 0) AS in_scope,
    coalesce(n.whole, 0) AS whole,
    coalesce(l.instructions, 0) AS instructions,
    l.matrix,
    l.vmem,
    l.valu,
    l.shares,
    coalesce(l.lanes, []) AS lanes,
    coalesce(p.hot, []) AS hot,
    n.max_vgpr,
    n.max_sgpr,
    n.max_spills,
    n.max_lds,
    coalesce(n.wavefronts, []) AS wavefronts,
    n.min_waves,
    n.max_waves,
    coalesce(n.spilling, []) AS spilling,
    coalesce(n.limited, []) AS limited,
    coalesce(n.others, []) AS others
FROM r
LEFT JOIN isa i ON i.row_id = r.row_id
LEFT JOIN need n ON n.row_id = r.row_id
LEFT JOIN lane l ON l.row_id = r.row_id
LEFT JOIN profile p ON p.row_id = r.row_id
LEFT JOIN tree t ON t.row_id = r.row_id
