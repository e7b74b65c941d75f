SELECT
    event_id, origin, seq, kind, version, recorded_us, host, git_sha, diff_md5, tree_md5,
    binary_md5, model_md5, prompt_md5, arch, payload, payload_sha256, prev_hash, hash
FROM conflicts WHERE origin = $1 AND list_contains($2::VARCHAR[], hash)
ORDER BY seq
