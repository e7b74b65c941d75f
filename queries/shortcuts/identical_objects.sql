-- summary: Kernels whose code is the same, byte for byte, in several object files.
-- grain: kernel, arch, code
-- columns: kernel      name
--          arch        processor
--          files       object files that hold this code
--          code_bytes  size of the code
--          code        digest of the code, shortened
--          paths       where the objects lay
-- param: arch VARCHAR = NULL  only this processor
-- param: limit INTEGER = 50  at most so many
-- example: atlas query identical-objects
SELECT
    kernel,
    arch,
    count(DISTINCT coalesce(md5, path)) AS files,
    any_value(code_bytes) AS code_bytes,
    code[:12] AS code,
    coalesce(list(DISTINCT path ORDER BY path) FILTER (WHERE path IS NOT NULL), []) AS paths
FROM isa_kernels
WHERE code IS NOT NULL AND ($arch IS NULL OR arch = $arch)
GROUP BY kernel, arch, isa_kernels.code
HAVING count(DISTINCT coalesce(md5, path)) > 1
ORDER BY files DESC, kernel, arch, code
LIMIT $limit
