-- summary: Where the rows of one host say that files and commits lay.
-- grain: role, path, digest
-- columns: role    binary, model, draft, prompt, code object, commit or diff
--          path    absolute path; of a commit or diff the top folder of the working tree
--          digest  what was recorded
-- param: host VARCHAR  the host
SELECT role, path, digest FROM recorded_files WHERE host = $host
