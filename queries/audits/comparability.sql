-- summary: The classes of rows within a workload: rows of one class may be compared with each other, rows of two may not, and the fields that split them say why.
-- grain: workload, phase, arch, quant, class
-- columns: severity  note: nothing is wrong with a class
--          workload  name of the workload
--          phase     phase
--          arch      GPU architecture
--          quant     quantisation
--          class     number of the class within the workload, the largest first
--          rows      rows in it
--          commits   commits measured in it
--          row_id    the newest of its rows
--          split_by  fields that differ between the classes of the workload
--          detail    values of these fields in this class
-- example: atlas audit comparability
WITH field AS (
    SELECT
        r.workload,
        r.phase,
        r.arch,
        r.quant,
        r.workload_key,
        unnest([
            {name: 'host', value: r.host},
            {name: 'device_index', value: r.device_index::VARCHAR},
            {name: 'visible', value: r.visible},
            {name: 'model', value: coalesce(
                r.model_md5, r.model_path || ' of ' || r.model_bytes || ' bytes')},
            {name: 'draft_md5', value: r.draft_md5},
            {name: 'prompt_md5', value: r.prompt_md5},
            {name: 'shape_bucket', value: r.shape_bucket},
            {name: 'kv_mode', value: r.kv_mode},
            {name: 'profiled', value: r.profiled::VARCHAR},
            {name: 'env', value: array_to_string(r.env, ' ')}
        ], recursive := true)
    FROM rows r
    WHERE r.status = 'ok' AND NOT r.contested AND r.value IS NOT NULL
),
splitting AS (
    SELECT workload, phase, arch, quant, name
    FROM field
    GROUP BY ALL
    HAVING count(DISTINCT coalesce(value, chr(0))) > 1
),
told AS (
    SELECT
        f.workload,
        f.phase,
        f.arch,
        f.quant,
        f.workload_key,
        list(DISTINCT f.name ORDER BY f.name) AS split_by,
        string_agg(DISTINCT format('{}={}', f.name, coalesce(f.value, 'unknown')), ', '
            ORDER BY format('{}={}', f.name, coalesce(f.value, 'unknown'))) AS detail
    FROM field f
    JOIN splitting s
        ON s.workload IS NOT DISTINCT FROM f.workload AND s.phase = f.phase
        AND s.arch IS NOT DISTINCT FROM f.arch AND s.quant IS NOT DISTINCT FROM f.quant
        AND s.name = f.name
    GROUP BY ALL
),
class AS (
    SELECT
        workload_key,
        workload,
        count(*) AS rows,
        count(DISTINCT git_sha) AS commits,
        arg_max(row_id, {t: recorded_us, r: row_id}) AS row_id
    FROM rows
    WHERE status = 'ok' AND NOT contested AND value IS NOT NULL
    GROUP BY workload_key, workload
)
SELECT
    'note' AS severity,
    t.workload,
    t.phase,
    t.arch,
    t.quant,
    row_number() OVER (
        PARTITION BY t.workload, t.phase, t.arch, t.quant ORDER BY c.rows DESC, t.detail, c.row_id
    ) AS class,
    c.rows,
    c.commits,
    c.row_id,
    t.split_by,
    t.detail
FROM told t
JOIN class c ON c.workload_key = t.workload_key AND c.workload IS NOT DISTINCT FROM t.workload
ORDER BY t.workload, t.phase, t.arch, t.quant, class
