-- Every fault that the chain can show, one row each; none = clean. What a chain can't show (a truncated
-- tail, a removed origin, a rewritten suffix) only a checkpoint kept elsewhere can.
-- $kinds: known kinds as 'kind/version'. $payloads: recompute payload digests too (reads every payload).
WITH everything AS (
    SELECT *, FALSE AS aside FROM events
    UNION ALL BY NAME
    SELECT *, TRUE AS aside FROM conflicts
),
digested AS (
    SELECT
        event_id, origin, seq, kind, version, prev_hash, hash, aside,
        CASE WHEN $payloads THEN sha256(payload) <> payload_sha256 ELSE FALSE END AS payload_altered,
        CASE WHEN $payloads AND contains(payload, '"output":{')
            THEN TRY(json_extract_string(payload, '$.output.*.sha256')) END AS named,
        '' IN (
            coalesce(git_sha, '-'), coalesce(diff_md5, '-'), coalesce(tree_md5, '-'),
            coalesce(binary_md5, '-'), coalesce(model_md5, '-'), coalesce(prompt_md5, '-'),
            coalesce(arch, '-')
        ) AS blank,
        concat(
            chr(10), kind, chr(10), version, chr(10), recorded_us, chr(10), host, chr(10),
            coalesce(git_sha, ''), chr(10), coalesce(diff_md5, ''), chr(10),
            coalesce(tree_md5, ''), chr(10), coalesce(binary_md5, ''), chr(10),
            coalesce(model_md5, ''), chr(10), coalesce(prompt_md5, ''), chr(10),
            coalesce(arch, ''), chr(10), payload_sha256
        ) AS middle
    FROM everything
),
checked AS (
    SELECT
        * EXCLUDE (middle),
        -- the hash covers the id; only who hashes anew can bring an id that does not fit
        ($payloads AND sha256(concat('atlas1', chr(10), origin, middle))[:32] <> event_id)
        OR sha256(concat(
            'atlas1', chr(10), origin, chr(10), seq, chr(10), event_id, middle, chr(10), prev_hash
        )) <> hash
        OR blank  -- an empty text hashes as unknown does, and is never written
        -- events can hold no newline; conflicts are held to it here
        OR (aside AND len(middle) - len(replace(middle, chr(10), '')) <> 12) AS envelope_altered
    FROM digested
),
told AS MATERIALIZED (
    SELECT
        origin, seq, event_id, kind, version, payload_altered, envelope_altered, named,
        NOT list_contains($kinds, kind || '/' || version) AS unknown
    FROM checked
    WHERE payload_altered OR envelope_altered OR unknown OR named IS NOT NULL
),
linked AS (
    SELECT
        event_id, origin, seq, prev_hash,
        lag(seq) OVER chain AS seq_before,
        lag(hash) OVER chain AS hash_before
    FROM events
    WINDOW chain AS (PARTITION BY origin ORDER BY seq, event_id, hash)
),
loose AS MATERIALIZED (
    FROM linked
    WHERE seq <> coalesce(seq_before, -1) + 1
       OR prev_hash <> coalesce(hash_before, repeat('0', 64))
),
repeated AS (  -- by a number first: texts are slow to group
    SELECT hash(event_id) AS number FROM events GROUP BY number HAVING count(*) > 1
),
fork AS (
    SELECT origin, min(seq) AS seq FROM conflicts GROUP BY origin
),
named_blob AS (
    SELECT DISTINCT
        origin, seq, event_id,
        unnest(named) AS sha256
    FROM told
    WHERE named IS NOT NULL AND NOT payload_altered
)
SELECT 'fault' AS severity, 'altered payload' AS fault, origin, seq, event_id,
    'the payload is not the text that was hashed' AS detail
FROM told WHERE payload_altered
UNION ALL
SELECT 'fault', 'altered envelope', origin, seq, event_id,
    'event id or hash differ from what the columns give'
FROM told WHERE envelope_altered
UNION ALL
SELECT 'fault', 'broken link', origin, seq, event_id,
    CASE WHEN seq = 0 THEN 'the first event does not start from zeros'
        ELSE 'prev_hash is not the hash of seq ' || (seq - 1) END
FROM loose
WHERE (seq = 0 AND seq_before IS NULL AND prev_hash <> repeat('0', 64))
   OR (seq = seq_before + 1 AND prev_hash <> hash_before)
UNION ALL
SELECT 'fault', 'broken link', c.origin, c.seq, c.event_id,
    'no event at seq ' || (c.seq - 1) || ' has the hash that this branch follows'
FROM conflicts c
ANTI JOIN everything e ON e.hash = c.prev_hash AND e.origin = c.origin AND e.seq = c.seq - 1
WHERE NOT (c.seq = 0 AND c.prev_hash = repeat('0', 64))
UNION ALL
SELECT 'fault', 'gap', origin, seq, event_id,
    CASE WHEN seq = coalesce(seq_before, -1) + 2 THEN 'seq ' || (seq - 1) || ' is missing'
        ELSE 'seq ' || (coalesce(seq_before, -1) + 1) || ' to ' || (seq - 1) || ' are missing' END
FROM loose WHERE seq > coalesce(seq_before, -1) + 1
UNION ALL
SELECT 'fault', 'duplicate', origin, seq, event_id, 'seq ' || seq || ' stands twice'
FROM loose WHERE seq = seq_before
UNION ALL
SELECT 'fault', 'duplicate', min(origin), min(seq), event_id,
    'the same event stands ' || count(*) || ' times'
FROM events SEMI JOIN repeated ON number = hash(event_id)
GROUP BY event_id HAVING count(*) > 1 AND min(seq) <> max(seq)
UNION ALL
SELECT 'fault', 'fork', f.origin, f.seq, min(c.event_id),
    'two branches from here on: '
    || 'one in events, ' || count(DISTINCT c.event_id) || ' event(s) set aside'
FROM fork f JOIN conflicts c ON c.origin = f.origin
GROUP BY f.origin, f.seq
UNION ALL
SELECT 'fault', 'altered blob', NULL, NULL, NULL, 'blob ' || sha256 || ' is not the bytes it was'
FROM blobs WHERE $payloads AND (sha256(body) <> sha256 OR octet_length(body) <> n_bytes)
UNION ALL
SELECT 'fault', 'missing blob', n.origin, n.seq, n.event_id,
    'blob ' || n.sha256 || ' is named by the event and not here'
FROM named_blob n ANTI JOIN blobs USING (sha256)
UNION ALL
SELECT 'note', 'unknown kind', origin, seq, event_id,
    'kind ' || kind || ' version ' || version || ' is not known to this version'
FROM told WHERE unknown
ORDER BY severity, origin, seq, fault, event_id
