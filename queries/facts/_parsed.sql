-- summary: The payloads of new events, parsed once, for all facts to read.
-- grain: event_id
-- columns: event_id     the event
--          origin       stream it belongs to
--          seq          its place there
--          kind         what was observed
--          version      form of the payload
--          recorded_us  when it was recorded, UTC microseconds
--          host         host that recorded it
--          provenance   envelope columns as a struct
--          p            what all kinds share and what measurements hold; NULL if not known here
--          body         payload text of the kinds that hold no measurements, for their own facts
SELECT
    event_id,
    origin,
    seq,
    kind,
    version,
    recorded_us,
    host,
    {
        git_sha: git_sha, diff_md5: diff_md5, tree_md5: tree_md5, binary_md5: binary_md5,
        model_md5: model_md5, prompt_md5: prompt_md5, arch: arch
    } AS provenance,
    CASE
        WHEN version = 1 THEN
            TRY(from_json(payload, '{
                "session_id": "VARCHAR",
                "supersedes": "VARCHAR",
                "target": "VARCHAR",
                "disposition": "VARCHAR",
                "why": "VARCHAR",
                "author": "VARCHAR",
                "parser": {"name": "VARCHAR", "version": "INTEGER"},
                "source": {
                    "file_sha256": "VARCHAR", "ordinal": "BIGINT", "adapter": "VARCHAR",
                    "adapter_version": "INTEGER", "name": "VARCHAR"
                },
                "run": {
                    "run_id": "VARCHAR", "program": "VARCHAR", "command": ["VARCHAR"],
                    "exit_code": "INTEGER", "signal": "VARCHAR", "timed_out": "BOOLEAN",
                    "started_us": "BIGINT", "ended_us": "BIGINT"
                },
                "context": {
                    "binary": {"kind": "VARCHAR"},
                    "git": {"root": "VARCHAR"},
                    "prompt": {"file_md5": "VARCHAR"},
                    "code_objects": {
                        "folder": "VARCHAR", "digest": "VARCHAR", "entries": [["VARCHAR"]]
                    }
                },
                "output": "MAP(VARCHAR, STRUCT(sha256 VARCHAR, n_bytes BIGINT))",
                "findings": [{"code": "VARCHAR", "message": "VARCHAR", "where": "VARCHAR"}],
                "rows": [{
                    "row_id": "VARCHAR", "run_id": "VARCHAR", "status": "VARCHAR",
                    "why": ["VARCHAR"],
                    "manifests": {"isa": "VARCHAR", "dispatch": "VARCHAR"},
                    "given": {"isa": "VARCHAR", "dispatch": "VARCHAR"},
                    "row": {
                        "captured_at_utc": "VARCHAR", "captured_at_unix_s": "DOUBLE",
                        "arch": "VARCHAR", "hostname": "VARCHAR", "git_sha": "VARCHAR",
                        "phase": "VARCHAR", "workload": "VARCHAR", "workload_kind": "VARCHAR",
                        "status": "VARCHAR", "model_size": "VARCHAR", "quant": "VARCHAR",
                        "shape_bucket": "VARCHAR", "run_index": "INTEGER",
                        "reason": "VARCHAR", "message": "VARCHAR",
                        "tags": ["VARCHAR"],
                        "command": ["VARCHAR"],
                        "model": {"path": "VARCHAR", "md5": "VARCHAR", "bytes": "BIGINT"},
                        "provenance": {
                            "binary_path": "VARCHAR", "binary_md5": "VARCHAR",
                            "binary_mtime_us": "BIGINT", "committed_us": "BIGINT",
                            "git_dirty": "BOOLEAN", "git_state": "VARCHAR",
                            "diff_md5": "VARCHAR", "tree_md5": "VARCHAR",
                            "code_objects_sha256": "VARCHAR", "device_index": "INTEGER",
                            "visible_devices": "VARCHAR", "hip_version": "VARCHAR",
                            "rocm_version": "VARCHAR", "arch_source": "VARCHAR"
                        },
                        "variant": {"env": "MAP(VARCHAR, VARCHAR)"},
                        "metrics": "MAP(VARCHAR, VARCHAR)",
                        "artifacts": {
                            "target": "VARCHAR", "target_md5": "VARCHAR",
                            "draft": "VARCHAR", "draft_md5": "VARCHAR",
                            "prompt_file": "VARCHAR", "prompt_md5": "VARCHAR",
                            "kv_mode": "VARCHAR",
                            "isa": "JSON", "dispatch": "JSON",
                            "runtime_route": {"kv_mode": "VARCHAR", "graph_enabled": "VARCHAR"},
                            "profile_kernels": [{
                                "name": "VARCHAR", "calls": "BIGINT", "total_ms": "DOUBLE",
                                "avg_us": "DOUBLE", "pct": "DOUBLE", "gib_s": "DOUBLE",
                                "op": {"family": "VARCHAR", "role": "VARCHAR", "phase_hint": "VARCHAR"}
                            }],
                            "blindspot_kernels": [{
                                "name": "VARCHAR", "calls": "BIGINT", "total_ms": "DOUBLE",
                                "pct": "DOUBLE"
                            }]
                        }
                    }
                }]
            }'))
    END AS p,
    CASE
        WHEN version = 1 AND kind NOT IN ('collection', 'ingest', 'reparse')
            AND json_valid(payload) THEN payload
    END AS body
FROM _new
