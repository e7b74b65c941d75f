-- rowids are slots: events are never deleted, so they count up from 0
SELECT coalesce(max(rowid) + 1, 0) FROM events
