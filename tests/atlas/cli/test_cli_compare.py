import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cli import CASES, Host
from support.evidence import series
from support.hot_row import RESIDUAL, hot_row

from ledger.store import Ledger
from queries.catalog import Catalog

A = [129.8, 129.2, 129.4, 129.1]
B = [132.9, 132.7, 131.7, 132.0]
D = "decode_dflash"
TREATED = {"git_sha": "9b41" + "1" * 36, "binary_md5": "b2" + "0" * 30}
OTHER = {"shape_bucket": "decode_ar_pp32_gen50"}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    host = Host(tmp_path_factory.mktemp("compare"))
    drafts = [
        *series("base.", A, 0),
        *series("code.", B, 10, **TREATED),
        *series("base2.", A, 20, **OTHER),
        *series("code2.", A, 30, **TREATED, **OTHER),
        *series("d1.", A, 40, phase=D, shape_bucket="d"),
        *series("d2.", B, 50, phase=D, shape_bucket="d", prompt_md5="7" * 32),
        *series("dirty.", A, 60, git_state="dirty", diff_md5="d" * 32),
        *hot_row(),
    ]
    Ledger(host.ledger, Catalog()).record(drafts)
    return host


def test_a_verdict_about_two_selections(host: Host) -> None:
    done = host.atlas("compare", "session=base.", "session=code.", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["verdict"], told["n_a"], told["n_b"]) == ("faster", 4, 4)
    assert told["runs_needed"] == 4
    table = host.atlas("compare", "session=base.", "session=code.", "--explain").stdout
    for said in ("faster", "1.0224 [1.0146, 1.0294]", "changed: git_sha", "permutation p"):
        assert said in table


def test_a_refusal_names_the_prompt_and_is_exit_1(host: Host) -> None:
    done = host.atlas("compare", "session=d1.", "session=d2.")
    assert done.returncode == 1
    assert "not comparable: prompt_md5 differs" in done.stderr
    assert done.stdout == ""
    shown = host.atlas("compare", "session=d1.", "session=d2.", "--allow-mismatch", "--json")
    assert shown.returncode == 0
    told = json.loads(shown.stdout)
    assert (told["verdict"], told["ratio"]) == (None, None)
    assert told["comparable"] == "not comparable"
    assert (told["median_a"], told["median_b"]) == (129.3, 132.35)


def test_many_workloads_get_a_mean_and_adjusted_p(host: Host) -> None:
    sides = ("git_sha=3f2a,phase=decode_ar,arch=gfx1100,git_state=clean", "git_sha=9b41")
    done = host.atlas("compare", *sides, "--json", "--explain")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["overall"]["n"] == 2
    assert sorted(one["verdict"] for one in told["comparisons"]) == ["faster", "same"]
    assert all(one["p_adjusted"] >= one["p"] for one in told["comparisons"])
    table = host.atlas("compare", *sides)
    assert "geometric mean 1.0111 over 2, 0 left out" in table.stderr


def test_bare_numbers_need_no_ledger(tmp_path: Path) -> None:
    bare = Host(tmp_path)
    told = json.loads(
        bare.atlas(
            "compare", "--a", "129.8,129.2,129.4,129.1", "--b", "132.9,132.7,131.7,132"
        ).stdout
    )
    assert list(told)[:8] == ["verdict", "ratio", "lo", "hi", "n_a", "n_b", "mde", "runs_needed"]
    assert told["verdict"] == "faster"
    assert not bare.ledger.exists()


def test_a_file_of_attempts_is_judged_line_by_line(tmp_path: Path) -> None:
    bare = Host(tmp_path)
    lines = [{"base_runs": A, "var_runs": B}, {"base_runs": A, "var_runs": A[:2]}]
    (tmp_path / "ab.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    done = bare.atlas("compare", "--jsonl", "ab.jsonl")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["verdict"] for one in told] == ["faster", "insufficient"]
    assert set(told[0]) == {"verdict", "ratio", "lo", "hi", "n_a", "n_b", "mde", "runs_needed"}
    (tmp_path / "bad.jsonl").write_text('{"base_runs": [1], "var_runs": "x"}\n')
    bad = bare.atlas("compare", "--jsonl", "bad.jsonl")
    assert bad.returncode == 2
    assert "bad.jsonl:1: var_runs is no list of numbers" in bad.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give two sides"),
        (("latest",), "the second side is missing"),
        (("latest", "latest", "--a", "1"), "give two sides"),
        (("--a", "1,2"), "the second side is missing"),
        (("--a", "1,x", "--b", "2"), "no list of numbers"),
        (("--a", "nan", "--b", "2"), "no finite number"),
        (("latest", "latest", "--by", "colour"), "is no factor"),
        (("latest", "kind=x"), "no key 'kind'"),
    ],
)
def test_bad_usage_is_exit_2(host: Host, words: tuple[str, ...], said: str) -> None:
    done = host.atlas("compare", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_real_attempts_where_they_are(tmp_path: Path) -> None:
    attempts = CASES.parent / "ab" / "ab_runs.jsonl"
    if not attempts.exists():
        pytest.skip(f"no attempts at {attempts}")
    done = Host(tmp_path).atlas("compare", "--jsonl", str(attempts))
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(attempts.read_text().splitlines())


def test_decisions_become_events(host: Host) -> None:
    refused = host.atlas(
        "annotate", "session=dirty.", "--disposition", "promotion_candidate", "--why", "fast"
    )
    assert refused.returncode == 1
    assert "its worktree was dirty" in refused.stderr
    done = host.atlas(
        "annotate", "session=dirty.", "--disposition", "rejected", "--why", "x", "--json"
    )
    noted = json.loads(done.stdout)
    assert noted["disposition"] == "rejected"
    gone = json.loads(
        host.atlas("retract", noted["event_id"][:12], "--why", "a mistake", "--json").stdout
    )
    assert (gone["target"], gone["shaken"]) == (noted["event_id"], [])
    again = host.atlas("retract", noted["event_id"][:12], "--why", "a mistake")
    assert again.returncode == 1
    log = json.loads(host.atlas("log", "--json", "--limit", "3").stdout)
    assert {one["kind"]: one["standing"] for one in log}["annotation"] == "retracted"


def test_suggestions_as_json_markdown_and_table(host: Host) -> None:
    asked = ("suggest", "arch=gfx1201", "--correctness-command", "make check")
    done = host.atlas(*asked)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["schema"] == "hipfire.kernel_atlas.suggestions.v0"
    assert set(told) >= {
        "captured_at_utc",
        "target",
        "metric",
        "fit_read",
        "history",
        "suggestion_count",
        "suggestions",
    }
    assert told["fit_read"]["likely_limit"] == "register pressure (spills)"
    assert told["suggestion_count"] == len(told["suggestions"]) == 12
    first = told["suggestions"][0]
    assert set(first) == {
        *("id", "rank", "score", "title", "lever_type", "hot_kernel", "op", "risk"),
        *("expected_impact", "allowed_files", "rationale", "candidate_steps", "eval"),
        *("correctness_commands", "history_key", "history"),
    }
    assert set(first["eval"]) == {
        *("metric", "goal", "benchmark_command", "env", "stripped_env_keys"),
        "requires_fresh_baseline",
    }
    assert (first["hot_kernel"], first["correctness_commands"]) == (RESIDUAL, ["make check"])
    marked = host.atlas(*asked, "--format", "markdown").stdout
    assert f"## 1. Get rid of the register spills of {RESIDUAL}" in marked
    assert "Measured evidence, not promotion proof." in marked
    table = host.atlas(*asked, "--format", "table", "--max-suggestions", "2").stdout
    assert "register_pressure" in table
    assert "source_sweep" not in table


def test_history_is_read_from_files_too(host: Host, tmp_path: Path) -> None:
    task = {
        "schema": "hipfire.kernel_atlas.task.v0",
        "task_id": "older",
        "target": {"arch": "gfx1201", "workload": "qwen3.5", "phase": "decode_ar"},
        "hot_kernel": {"name": RESIDUAL},
        "experiment": {"lever_type": "register_pressure"},
    }
    line = {
        "task_id": "older",
        "captured_at_utc": "2025-11-02T10:00:00Z",
        "status": "pass",
        "metric": "gen_tok_s",
        "metrics": {"gen_tok_s": 96.0},
        "speedup": 0.95,
    }
    outcome = {**line, "schema": "hipfire.kernel_atlas.eval.v0", "delta": {"speedup": 0.95}}
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "task.json").write_text(json.dumps(task))
    (tmp_path / "deep" / "result.json").write_text(json.dumps(outcome))
    (tmp_path / "deep" / "ledger.jsonl").write_text(json.dumps(line) + "\n")
    (tmp_path / "deep" / "task-broken.json").write_text("{")
    done = host.atlas("suggest", "arch=gfx1201", "--history", str(tmp_path))
    told = json.loads(done.stdout)
    assert told["history"] == {
        "entries": 1,
        "target_entries": 1,
        "matched_entries": 1,
        "demoted_suggestions": 1,
    }
    assert RESIDUAL not in {
        one["hot_kernel"] for one in told["suggestions"] if one["lever_type"] == "register_pressure"
    }
    assert "task-broken.json" in done.stderr
    missing = host.atlas("suggest", "arch=gfx1201", "--history", str(tmp_path / "nowhere"))
    assert missing.returncode == 2


def test_an_audit_is_a_file(host: Host) -> None:
    done = host.atlas("audit", "claims")
    assert (done.returncode, done.stdout) == (0, "claims: clean\n")
    assert "-- summary:" in host.atlas("audit", "claims", "--show-sql").stdout
