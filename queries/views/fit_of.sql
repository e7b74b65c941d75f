-- summary: How the inspected code of measurements sits on their cards, and what limits them: a heuristic, no occupancy, no roofline.
-- grain: row_id
-- columns: row_id          the row
--          arch            GPU architecture
--          workload        name of the workload
--          quant           quantisation
--          phase           phase
--          shape_bucket    shape of the work
--          scope           profile-matched, profile-unmatched (all inspected), all-inspected (no profile), or none
--          limit_text      the fit read; NULL where none is offered
--          left_text       what is left to try
--          shares          which shares the read uses: time-weighted or static
--          collect         what to collect where no read is offered
--          remarks         what else to know about it
--          found_by        manifest, code objects or given file
--          manifest_event  event of the ISA manifest
--          dispatch_event  event of the dispatch manifest
--          objects         device images for the architecture
--          in_scope        kernels in scope, each code once
--          instructions    instructions in scope; hints and padding are in no total
--          profiled        kernels of the profile
--          matched         of them, found in the objects
--          unmatched       hot names without an object, hottest first
--          lanes           lane, available on the card, instructions, static and time-weighted share
--          hot             kernels of the profile, hottest first, with what their code needs and where they are mentioned
--          max_vgpr        most vector registers
--          max_sgpr        most scalar registers
--          max_spills      most spilled registers
--          max_lds         most bytes of local memory
--          wavefronts      lanes of a wave
--          min_waves       smallest static limit of waves on a SIMD, not measured occupancy
--          max_waves       waves a SIMD can hold for that kernel
--          spilling        kernels in scope that spill
--          matrix_unit     the card has a matrix unit; NULL when unknown
--          card_wavefront  wavefront sizes of the card
--          arch_note       the sentence about the card
--          bytes_saved     what the quantisation saves
--          unpack_tax      what its unpacking costs
--          question        what to ask of it
-- param: row_id VARCHAR = NULL  only this row
WITH r AS MATERIALIZED (
    SELECT row_id, event_id, ordinal, arch, workload, quant, phase, shape_bucket, code_objects
    FROM rows WHERE $row_id IS NULL OR row_id = $row_id
),
fact AS MATERIALIZED (
    FROM fit_facts($row_id)
),
images AS (
    SELECT
        f.row_id, count(*) AS listed,
        count(*) FILTER (WHERE is_for_arch(o.arch, r.arch)) AS objects,
        list(DISTINCT o.arch ORDER BY o.arch) FILTER (WHERE o.arch IS NOT NULL) AS archs
    FROM fact f JOIN r USING (row_id) JOIN isa_members m USING (set_id)
    JOIN isa_objects o ON o.event_id = m.event_id AND o.entry = m.entry AND o.image = m.image
    GROUP BY f.row_id
),
named AS (
    SELECT r.row_id, coalesce(m.path, m.named, m.file_md5) AS manifest
    FROM r JOIN row_manifest m USING (event_id, ordinal)
    WHERE m.slot = 'isa'
),
trade AS (
    SELECT quant, quant_profile_of(quant) AS quant_profile FROM (SELECT DISTINCT quant FROM r)
),
known AS MATERIALIZED (
    SELECT
        r.*, f.* EXCLUDE (row_id), a.listed, a.archs, coalesce(a.objects, 0) AS objects, d.manifest,
        list_transform(list_filter(f.hot, lambda h: NOT h.matched), lambda h: h.kernel) AS unmatched,
        c.has_matrix_unit AS matrix_unit, c.arch IS NOT NULL AS card_known,
        coalesce(c.wavefront, 'unknown') AS card_wavefront,
        coalesce(c.note, 'observed ISA is shown, no capability is claimed') AS arch_note,
        q.quant_profile
    FROM r
    JOIN fact f USING (row_id)
    LEFT JOIN images a USING (row_id)
    LEFT JOIN named d USING (row_id)
    LEFT JOIN arch_capability c ON c.arch = r.arch
    LEFT JOIN trade q ON q.quant IS NOT DISTINCT FROM r.quant
),
read AS (
    SELECT k.row_id, arg_min({l: f.limit_text, t: f.left_text}, f.ordinal) AS read
    FROM known k
    JOIN fit_rule f
        ON (f.phase IS NULL OR starts_with(k.phase, f.phase))
        AND (f.hot_name IS NULL OR round(list_sum(list_transform(
            list_filter(k.hot, lambda h: contains(lower(h.kernel), f.hot_name)), lambda h: h.pct
        )), 6) >= f.hot_pct)
        AND (f.spills IS NULL OR (k.scope = 'profile-matched' AND len(k.spilling) > 0) = f.spills)
        AND (f.matrix_unit IS NULL OR k.matrix_unit = f.matrix_unit)
        AND (f.matrix_absent IS NULL OR (k.matrix = 0) = f.matrix_absent)
        AND (f.vmem IS NULL OR k.vmem >= f.vmem)
        AND (f.valu IS NULL OR k.valu >= f.valu)
        AND (f.taxed IS NULL OR k.quant_profile.taxed = f.taxed)
        AND (NOT f.needs_mix OR k.instructions > 0)
    WHERE k.scope <> 'none'
    GROUP BY k.row_id
)
SELECT
    k.row_id,
    k.arch,
    k.workload,
    k.quant,
    k.phase,
    k.shape_bucket,
    k.scope,
    d.read.l AS limit_text,
    d.read.t AS left_text,
    k.shares,
    CASE
        WHEN d.read IS NOT NULL THEN NULL
        WHEN k.scope <> 'none' THEN 'no instruction of these objects could be read: inspect objects of a processor that `atlas isa` knows'
        WHEN k.listed > 0 AND k.objects = 0 THEN 'inspect objects for ' || k.arch || ': the ones it names are for '
            || array_to_string(k.archs, ', ')
        WHEN k.found_by IS NOT NULL THEN 'inspect objects that hold kernels: the ones it names hold none'
        WHEN k.manifest IS NOT NULL THEN 'ingest the manifest it names: `atlas ingest ' || k.manifest || '`'
        WHEN k.code_objects IS NOT NULL THEN 'inspect the folder of code objects it ran with: `atlas isa FOLDER`'
        ELSE 'collect again with --isa-dir FOLDER, and --profile-prefill or --profile-decode'
    END AS collect,
    list_filter([
        CASE WHEN k.scope = 'profile-unmatched' THEN 'none of the ' || len(k.hot)
            || ' profiled kernels is in the inspected objects: all inspected kernels are in scope' END,
        CASE WHEN k.scope = 'all-inspected' THEN 'no profile: all inspected kernels are in scope, hot or not' END,
        CASE WHEN k.whole > 0 THEN k.whole
            || ' of the kernels have no instruction count of their own: their whole object is in scope' END,
        CASE WHEN len(k.others) > 0 THEN 'counts come from ' || array_to_string(k.others, ', ')
            || ': they include padding and know no gfx12 waits' END,
        CASE WHEN len(k.limited) > 0 THEN 'registers allow half the waves or fewer for '
            || array_to_string(k.limited[:4], ', ')
            || CASE WHEN len(k.limited) > 4 THEN ' and ' || (len(k.limited) - 4) || ' more' ELSE '' END
            || ' (static limit from registers, not measured occupancy)' END,
        CASE WHEN k.scope <> 'profile-matched' AND len(k.spilling) > 0 THEN len(k.spilling)
            || ' inspected kernels spill registers; whether they are hot is not known' END
    ], lambda t: t IS NOT NULL) AS remarks,
    k.found_by,
    k.manifest_event,
    k.dispatch_event,
    k.objects,
    k.in_scope,
    k.instructions,
    len(k.hot) AS profiled,
    len(k.hot) - len(k.unmatched) AS matched,
    k.unmatched,
    list_transform(k.lanes, lambda x: {
        lane: x.lane,
        available: CASE WHEN x.lane = 'matrix/wmma' THEN k.matrix_unit WHEN k.card_known THEN TRUE END,
        instructions: x.instructions,
        static: x.static,
        weighted: x.weighted
    }) AS lanes,
    k.hot,
    k.max_vgpr,
    k.max_sgpr,
    k.max_spills,
    k.max_lds,
    k.wavefronts,
    k.min_waves,
    k.max_waves,
    k.spilling,
    k.matrix_unit,
    k.card_wavefront,
    k.arch_note,
    k.quant_profile.bytes_saved AS bytes_saved,
    k.quant_profile.unpack_tax AS unpack_tax,
    k.quant_profile.question AS question
FROM known k LEFT JOIN read d USING (row_id)
