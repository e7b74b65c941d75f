-- The events of the slots from slice_begin to before slice_end, two variables. Conflicts ride along with the first
-- slice: there are few or none. An event that stands at several places of a forked chain counts where it stands first.
CREATE OR REPLACE TEMP VIEW _new AS
WITH beaten AS (
    SELECT p.hash
    FROM (
        SELECT event_id, seq, hash FROM events
        UNION ALL
        SELECT event_id, seq, hash FROM conflicts
    ) p
    SEMI JOIN conflicts c ON c.event_id = p.event_id
    QUALIFY row_number() OVER (PARTITION BY p.event_id ORDER BY p.seq, p.hash) > 1
)
FROM (
    SELECT * FROM events
    WHERE rowid >= getvariable('slice_begin') AND rowid < getvariable('slice_end')
    UNION ALL BY NAME
    SELECT * FROM conflicts WHERE getvariable('slice_begin') = 0
) e
ANTI JOIN beaten b ON b.hash = e.hash
