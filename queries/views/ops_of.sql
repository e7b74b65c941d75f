-- summary: Operations of kernels by their names.
-- grain: kernel
-- columns: kernel  name
--          op      family, role and phase hint
-- param: kernels VARCHAR[]  names
SELECT kernel, op_of(kernel) AS op FROM (SELECT DISTINCT unnest($kernels) AS kernel)
