-- summary: One event with its envelope and payload.
-- grain: event_id
-- columns: event_id        identity of the event
--          origin          stream it belongs to
--          seq             place there
--          kind            what was observed
--          version         form of the payload
--          recorded        when it was recorded, UTC
--          host            host that recorded it
--          git_sha         commit
--          diff_md5        digest of the uncommitted change
--          tree_md5        digest of the changed and untracked files
--          binary_md5      digest of the program
--          model_md5       digest of the model
--          prompt_md5      digest of the prompt
--          arch            GPU architecture
--          payload_sha256  digest of the payload
--          prev_hash       hash of the event before it
--          hash            its hash
--          standing        ok, retracted, superseded, contested, or rests on retracted
--          payload         canonical JSON
-- param: id VARCHAR  identity of the event
SELECT
    e.event_id, e.origin, e.seq, e.kind, e.version, make_timestamp(e.recorded_us) AS recorded,
    e.host, e.git_sha, e.diff_md5, e.tree_md5, e.binary_md5, e.model_md5, e.prompt_md5, e.arch,
    e.payload_sha256, e.prev_hash, e.hash, l.standing, e.payload
FROM (FROM events UNION ALL BY NAME FROM conflicts) e
ANTI JOIN repeated_places USING (hash)
JOIN event_log l USING (event_id)
WHERE e.event_id = $id
