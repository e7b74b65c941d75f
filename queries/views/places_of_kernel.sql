-- summary: Where the dispatch manifest of a row says that a kernel may be written and dispatched. Places to look, which prove no branch.
-- grain: kernel
-- columns: kernel        name
--          sources       files that may hold its source, best first
--          refs          lines that mention it, best first
--          env_controls  variables that may decide whether it is dispatched
-- param: row_id VARCHAR  the row
-- param: kernel VARCHAR  name of the kernel
SELECT d.kernel, d.sources, d.refs, d.env_controls
FROM dispatch_of_row(_row_id := $row_id) m
JOIN dispatch_entries d ON d.event_id = m.manifest_event AND d.entry = m.entry
WHERE d.kernel = $kernel
ORDER BY d.position
LIMIT 1
