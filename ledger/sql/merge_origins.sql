-- Per offered origin: how many events, how many are not here, where the chain here ends, and whether branches differ.
WITH offered AS (
    SELECT origin, count(*) AS n
    FROM (
        SELECT origin FROM atlas_offer.events
        UNION ALL
        SELECT origin FROM atlas_offer.conflicts
    )
    GROUP BY origin
),
arriving AS (
    SELECT origin, count(*) AS n, count(DISTINCT seq) AS places, min(seq) AS first_seq
    FROM _arriving GROUP BY origin
),
head AS (
    SELECT origin, max(seq) AS seq, arg_max(hash, seq) AS hash
    FROM events SEMI JOIN arriving USING (origin)
    GROUP BY origin
),
parted AS (
    SELECT DISTINCT origin FROM conflicts
)
SELECT
    o.origin,
    coalesce(a.n, 0) AS new,
    o.n - coalesce(a.n, 0) AS known,
    h.hash AS head,
    coalesce(
        a.places < a.n OR a.first_seq <= coalesce(h.seq, -1) OR p.origin IS NOT NULL, FALSE
    ) AS forked
FROM offered o
LEFT JOIN arriving a USING (origin)
LEFT JOIN head h USING (origin)
LEFT JOIN parted p USING (origin)
ORDER BY o.origin
