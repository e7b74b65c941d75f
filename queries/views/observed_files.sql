-- summary: What lies on this host now where rows say files lay; empty until an audit has looked, and only for the connection it looked through.
-- grain: role, path, asked
-- columns: role   as in recorded_files
--          path   as in recorded_files
--          asked  commit that was looked for; NULL for files
--          found  digest of what lies there now, the commit if it exists; NULL when it doesn't
--          bytes  size now
--          why    why `found` is unknown
SELECT
    CAST(NULL AS VARCHAR) AS role,
    CAST(NULL AS VARCHAR) AS path,
    CAST(NULL AS VARCHAR) AS asked,
    CAST(NULL AS VARCHAR) AS found,
    CAST(NULL AS BIGINT) AS bytes,
    CAST(NULL AS VARCHAR) AS why
WHERE FALSE
