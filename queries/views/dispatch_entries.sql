-- summary: Places in source trees that mention a kernel. They are places to look, and prove no branch.
-- grain: event_id, entry, position
-- columns: event_id      the event
--          entry         row of the event that holds it; -1 when the event is the manifest
--          position      position within the manifest
--          kernel        name
--          arch          architecture whose files rank first
--          family        operation family
--          role          operation role
--          top_source    file that most likely holds its source
--          top_ref       line that most likely dispatches it, as path:line
--          env_controls  variables that may decide whether it is dispatched
--          sources       files, best first
--          refs          lines, best first
--          variants      spellings that were searched for
--          root          tree that was searched
--          recorded_us   when it was recorded, UTC microseconds
--          file_md5      digest of the file the manifest was imported from
WITH standing AS (
    SELECT * FROM dispatch_entry ANTI JOIN retracted USING (event_id) ANTI JOIN superseded USING (event_id)
),
attributed AS (
    SELECT kernel, op_of(kernel) AS derived FROM (SELECT DISTINCT kernel FROM standing)
)
SELECT
    d.event_id,
    d.entry,
    d.position,
    d.kernel,
    d.arch,
    coalesce(d.op.family, a.derived.family) AS family,
    coalesce(d.op.role, a.derived.role) AS role,
    d.sources[1].path AS top_source,
    d.refs[1].path || coalesce(':' || d.refs[1].line, '') AS top_ref,
    d.env_controls,
    d.sources,
    d.refs,
    d.variants,
    d.root,
    d.recorded_us,
    d.file_md5
FROM standing d JOIN attributed a USING (kernel)
