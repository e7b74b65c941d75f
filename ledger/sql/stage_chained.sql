-- The new events with their places; a view, so that payloads are not copied on their way in.
CREATE OR REPLACE TEMP VIEW _new AS
SELECT
    i.event_id, i.origin, c.seq, i.kind, i.version, i.recorded_us, i.host,
    i.git_sha, i.diff_md5, i.tree_md5, i.binary_md5, i.model_md5, i.prompt_md5, i.arch,
    i.payload, i.payload_sha256, c.prev_hash, c.hash
FROM candidates i JOIN chained c USING (event_id)
