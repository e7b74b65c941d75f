-- summary: Instructions of every inspected kernel by category; where a manifest has no count per kernel, of the whole object.
-- grain: event_id, entry, image, position, category
-- columns: event_id  the event that describes it
--          entry     row of the event it stands in
--          image     image within the object or manifest
--          position  kernel within the image; NULL for the whole object
--          kernel    name; NULL for the whole object
--          arch      processor
--          category  kind of instruction
--          n         how many
--          share     share of the instructions that are work: all but scheduling hints
WITH counted AS (
    SELECT event_id, entry, image, position, kernel, arch, mix FROM isa_kernels WHERE has_mix
    UNION ALL
    SELECT event_id, entry, image, NULL, NULL, arch, mix
    FROM isa_objects
    ANTI JOIN (SELECT event_id, entry, image FROM isa_kernels WHERE has_mix) k USING (event_id, entry, image)
),
split AS (
    SELECT * EXCLUDE (mix), unnest(map_entries(mix)) AS m FROM counted
)
SELECT
    event_id,
    entry,
    image,
    position,
    kernel,
    arch,
    m.key AS category,
    m.value AS n,
    CASE WHEN m.key <> 'sched' THEN
        m.value / nullif(
            sum(CASE WHEN m.key <> 'sched' THEN m.value END)
                OVER (PARTITION BY event_id, entry, image, position), 0)
    END AS share
FROM split
