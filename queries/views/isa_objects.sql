-- summary: Device images that were inspected: the newest facts of each object, and images as other manifests describe them.
-- grain: event_id, entry, image
-- columns: event_id      the event that describes it
--          entry         row of the event it stands in; -1 when it is not in a row
--          image         position within the object or manifest
--          md5           digest of the object file
--          path          where it lay, as the newest manifest tells
--          arch          processor
--          target        processor with its features
--          container     elf, bundle, ccob_v2 …
--          kernels       kernels in it
--          instructions  instructions in it
--          mix           instructions by category
--          symbols       kernel symbols its summary names
--          problems      findings about it
--          producer      what read it
--          form          object, manifest or row
--          recorded_us   when the event was recorded, UTC microseconds
WITH newest AS (
    SELECT arg_max(event_id, {t: recorded_us, e: event_id}) AS event_id
    FROM isa_object ANTI JOIN retracted USING (event_id)
    GROUP BY md5
),
placed AS (
    SELECT m.md5 AS md5, arg_max(m.path, recorded_us) AS path
    FROM (SELECT recorded_us, unnest(members) AS m FROM isa_manifest ANTI JOIN retracted USING (event_id))
    GROUP BY m.md5
)
SELECT
    i.event_id,
    i.entry,
    i.image,
    i.md5,
    coalesce(i.path, p.path) AS path,
    i.arch,
    i.target,
    i.container,
    i.kernel_count AS kernels,
    i.instructions,
    i.mix,
    i.symbols,
    i.problems,
    i.producer,
    i.form,
    i.recorded_us
FROM isa_image i
ANTI JOIN retracted r ON r.event_id = i.event_id
ANTI JOIN superseded s ON s.event_id = i.event_id
LEFT JOIN newest n ON n.event_id = i.event_id
LEFT JOIN placed p ON i.form = 'object' AND p.md5 = i.md5
WHERE i.form <> 'object' OR n.event_id IS NOT NULL
