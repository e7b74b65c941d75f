-- summary: The kernels in the images of a row's ISA facts that are for its architecture, identical code once.
-- grain: set_id, arch, unit
-- columns: set_id    the images, as in isa_members
--          arch      architecture of the rows; NULL when they tell none: then every image counts
--          unit      what is counted once: the code of a kernel, or an object whose kernels were not counted apart
--          kernel    name; NULL for an object without kernels
--          spelled   all names it can be found by
--          whole     the mix is that of the whole object
--          mix_unit  what its mix is counted by: the unit, or the object when the mix is that of the whole
--          own       it counts when all of the images are looked at
--          vgpr      vector registers
--          sgpr      scalar registers
--          spills    spilled registers
--          lds       bytes of local memory
--          wavefront lanes of a wave
--          waves     static limit of waves on a SIMD
--          max_waves waves a SIMD can hold
--          mix       instructions by category
--          producer  what counted them
-- param: row_id VARCHAR = NULL  only what this row needs
WITH wanted AS (
    SELECT DISTINCT set_id, arch FROM isa_of_row($row_id)
),
image AS MATERIALIZED (
    SELECT
        w.set_id, w.arch, o.event_id, o.entry, o.image, o.symbols, o.mix, o.producer,
        coalesce(o.md5, o.event_id) || ':' || o.entry || ':' || o.image AS place
    FROM wanted w
    JOIN isa_members m USING (set_id)
    JOIN isa_objects o USING (event_id, entry, image)
    WHERE is_for_arch(o.arch, w.arch)
),
kernel AS MATERIALIZED (
    SELECT
        i.set_id, i.arch, i.place, k.kernel,
        list_distinct(list_concat(
            [k.kernel, k.symbol, regexp_replace(k.symbol, '\.kd$', '')], k.symbols
        )) AS spelled,
        NOT k.has_mix AND k.producer <> 'kernel-atlas' AS whole,
        k.vgpr, k.sgpr, k.spills, k.lds, k.wavefront, k.waves, k.max_waves,
        CASE WHEN k.has_mix THEN k.mix ELSE i.mix END AS mix,
        k.producer,
        k.kernel || ':' || coalesce(k.code, i.place || ':' || k.position) AS unit,
        i.place AS holder,
        TRUE AS own
    FROM image i JOIN isa_kernels k USING (event_id, entry, image)
),
named AS (
    SELECT set_id, arch, place, list_distinct(flatten(list(spelled))) AS spelled FROM kernel GROUP BY ALL
),
nameless AS (
    SELECT
        i.set_id, i.arch, i.place, NULL AS kernel,
        list_filter(i.symbols, lambda s: NOT list_contains(coalesce(n.spelled, []), s)) AS spelled,
        TRUE AS whole,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        i.mix, i.producer, i.place AS unit, i.place AS holder, n.place IS NULL AS own
    FROM image i LEFT JOIN named n ON n.set_id = i.set_id AND n.place = i.place
        AND n.arch IS NOT DISTINCT FROM i.arch
)
SELECT
    set_id,
    arch,
    unit,
    kernel,
    list_distinct(list_concat(spelled, list_transform(spelled, lambda s: regexp_replace(s, '\.kd$', '')))) AS spelled,
    whole,
    CASE WHEN whole THEN holder ELSE unit END AS mix_unit,
    own,
    vgpr,
    sgpr,
    spills,
    lds,
    wavefront,
    waves,
    max_waves,
    mix,
    producer
FROM (
    SELECT * FROM kernel
    UNION ALL
    SELECT * FROM nameless WHERE own OR len(spelled) > 0
)
QUALIFY row_number() OVER (PARTITION BY set_id, arch, unit ORDER BY holder) = 1
