-- summary: Claims that should not be repeated as they stand, and what each lacks.
-- grain: event_id
-- columns: event_id  the event that claims
--          recorded  when it was recorded, UTC
--          kind      eval, ab or promotion
--          host      host
--          about     task, factor or row
--          metric    metric
--          verdict   its verdict
--          ratio     what is claimed, above 1 is better
--          n_a       runs of the base
--          n_b       runs of the candidate
--          faults    what it must not be
--          notes     what weakens it
-- param: host VARCHAR = NULL  only this host
-- param: limit INTEGER = 50  at most so many
-- example: atlas query claims-at-risk
SELECT
    c.event_id,
    make_timestamp(c.recorded_us) AS recorded,
    c.kind,
    c.host,
    c.about,
    c.metric,
    c.verdict,
    c.ratio,
    c.n_a,
    c.n_b,
    c.faults,
    c.notes
FROM claims c
WHERE len(c.faults) + len(c.notes) > 0 AND ($host IS NULL OR c.host = $host)
ORDER BY len(c.faults) DESC, c.recorded_us DESC, c.event_id
LIMIT $limit
