-- summary: Evidence class of a row: measured needs complete identity, a good end and a second run.
-- columns: evidence_of  measured or exploratory
-- param: missing VARCHAR[]  fields the row lacks
-- param: stated VARCHAR  ok, partial or quarantined
-- param: repeated BOOLEAN  its series holds runs of more than one process
-- example: SELECT evidence_of([], 'ok', true)
SELECT CASE WHEN len(missing) = 0 AND repeated AND stated = 'ok' THEN 'measured' ELSE 'exploratory' END
