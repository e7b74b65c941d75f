-- summary: Ids for people: each once, sorted, shortened, the first eight of them.
-- columns: shown_ids  text
-- param: ids VARCHAR[]  ids or digests
-- example: SELECT shown_ids(['0123456789abcdef', 'fedcba9876543210'])
SELECT array_to_string(list_transform(list_sort(list_distinct(ids))[:8], lambda id: id[:12]), ', ')
    || CASE WHEN len(list_distinct(ids)) > 8 THEN ' …' ELSE '' END
