from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.identity.environment import PROFILING_VARIABLES, observe_environment
from atlas.identity.redaction import (
    may_hold_secrets,
    redact_argv,
    redact_env,
    redact_json,
    redact_text,
    scrub,
    secret_values,
)


def test_what_is_recorded_and_what_makes_the_variant() -> None:
    environ = {
        "HIPFIRE_GRAPH": "1",
        "HIPFIRE_KV_MODE": "q8",
        "HIPFIRE_DPM_WARMUP_SECS": "3",
        "HIPFIRE_PROFILE": "0",
        "HIP_VISIBLE_DEVICES": "1",
        "HSA_OVERRIDE_GFX_VERSION": "11.0.0",
        "HOME": "/home/x",
        "SOME_TOKEN": "not recorded",
    }
    seen = observe_environment(environ, {"HIPFIRE_KV_MODE": "asym3", "OTHER": "x"})
    assert set(seen.variables) == set(environ) - {"HOME", "SOME_TOKEN"} | {"OTHER"}
    assert seen.variant == {
        "HIPFIRE_GRAPH": "1",
        "HIPFIRE_KV_MODE": "asym3",
        "HSA_OVERRIDE_GFX_VERSION": "11.0.0",
        "OTHER": "x",
    }
    assert seen.visibility == {"HIP_VISIBLE_DEVICES": "1"}
    assert seen.profiled is False
    assert seen.redacted == ()


@pytest.mark.parametrize("name", sorted(PROFILING_VARIABLES))
def test_each_profiling_variable_makes_a_profiled_run(name: str) -> None:
    assert observe_environment({name: "1"}, {}).profiled is True
    assert observe_environment({}, {name: "/tmp/out.csv"}).profiled is True
    assert observe_environment({name: "1"}, {name: "0"}).profiled is False
    assert observe_environment({name: "1"}, {}).variant == {}


def test_secrets_never_reach_the_identity() -> None:
    seen = observe_environment({"HIPFIRE_HUB_TOKEN": "s3cret"}, {"My_Password": "s3cret"})
    assert seen.redacted == ("HIPFIRE_HUB_TOKEN", "My_Password")
    assert "s3cret" not in repr(seen)
    assert seen.variables["HIPFIRE_HUB_TOKEN"] == "***"


def test_redacting_a_mapping() -> None:
    env = {"A_KEY": "x", "B_SECRET": "", "C_PASSWORD": "***", "KEY": "plain", "TOKEN_A": "plain"}
    redacted, findings = redact_env(env)
    assert redacted == {**env, "A_KEY": "***"}
    assert [(finding.code, finding.where) for finding in findings] == [("redacted", "A_KEY")]


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["bench", "--env", "HF_TOKEN=a b"], ["bench", "--env", "HF_TOKEN=***"]),
        (["bench", "--env=HF_TOKEN=abc"], ["bench", "--env=HF_TOKEN=***"]),
        (["bench", "-eHF_TOKEN=abc"], ["bench", "-eHF_TOKEN=***"]),
        (["env", "X_KEY=1", "Y=2", "./b"], ["env", "X_KEY=***", "Y=2", "./b"]),
        (["bash", "-c", "X_KEY='a b' ./b --n 1"], ["bash", "-c", "X_KEY=*** ./b --n 1"]),
        (["ssh", "h", "cd x; X_KEY=ab ./b"], ["ssh", "h", "cd x; X_KEY=*** ./b"]),
        (["bench", "--tokens=5", "MY_TOKENS=5", "KEY=1", 3], None),
        (["X_KEY=***", "Y_TOKEN="], None),
    ],
)
def test_redacting_an_argv(argv: list[Any], expected: list[Any] | None) -> None:
    redacted, findings = redact_argv(argv)
    assert redacted == (argv if expected is None else expected)
    assert len(findings) == (0 if expected is None else 1)
    assert redact_argv(redacted) == (redacted, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HF_TOKEN=abc ./b", "HF_TOKEN=*** ./b"),
        ('export HF_TOKEN="a \\" b"; ./b', "export HF_TOKEN=***; ./b"),
        ("A_KEY=ab'c d'\"e f\"g ./b", "A_KEY=*** ./b"),
        ("A_KEY='never closed", "A_KEY=***"),
        ("A_KEY=a\\ b ./b", "A_KEY=*** ./b"),
        ("hf_token=abc ./b", "hf_token=*** ./b"),
    ],
)
def test_redacting_text(text: str, expected: str) -> None:
    redacted, findings = redact_text(text)
    assert redacted == expected
    assert len(findings) == 1
    assert redact_text(redacted) == (redacted, [])


def row() -> dict[str, Any]:
    return {
        "schema": "hipfire.kernel_atlas.v0",
        "command": ["./bench", "--env", "HF_TOKEN=hunter2"],
        "variant": {"env": {"HIPFIRE_GRAPH": "1", "hub_key": "hunter2"}},
        "artifacts": {"nested": [{"row_env": {"X_SECRET": "hunter2"}}], "AWS_KEY": "hunter2"},
        "eval": {"benchmark_command": "A_PASSWORD=hunter2 ./b"},
        "correctness_commands": ["B_KEY=hunter2 ./c", ["env", "C_KEY=hunter2"]],
        "request": {"env": ["D_TOKEN=hunter2"], "argv": [["env", "E_TOKEN=hunter2"]]},
        "history_key": "hist-1",
        "metrics": {"gen_tok_s": 1.5, "some_key": None},
    }


def test_redacting_a_row() -> None:
    before = row()
    redacted, findings = redact_json(before)
    assert before == row()
    assert "hunter2" not in repr(redacted)
    assert [finding.where for finding in findings] == [
        "command[2]",
        "variant.env.hub_key",
        "artifacts.nested[0].row_env.X_SECRET",
        "artifacts.AWS_KEY",
        "eval.benchmark_command",
        "correctness_commands[0]",
        "correctness_commands[1][1]",
        "request.env[0]",
        "request.argv[0][1]",
    ]
    assert redacted["history_key"] == "hist-1"
    assert redacted["metrics"] == before["metrics"]
    assert redact_json(redacted) == (redacted, [])


def test_documents_nested_deeper_than_calls_can_be() -> None:
    deep: Any = {"env": {"A_KEY": "hunter2"}}
    for _ in range(5000):
        deep = [deep]
    redacted, findings = redact_json(deep)
    for _ in range(5000):
        redacted = redacted[0]
    assert redacted == {"env": {"A_KEY": "***"}}
    assert len(findings) == 1


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["env", "command", "a", "key"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(PLAIN)
def test_what_holds_no_secret_comes_back_equal(value: Any) -> None:
    kept = copy.deepcopy(value)
    assert redact_json(value) == (kept, [])


def test_a_cheap_look_spares_the_walk() -> None:
    assert may_hold_secrets('{"env": {"HF_TOKEN": "x"}}')
    assert may_hold_secrets('{"env": {"hf_token": "x"}}')
    assert not may_hold_secrets('{"env": {"HIPFIRE_GRAPH": "1"}, "monkey": 1}')


def test_secret_values_are_scrubbed_from_output() -> None:
    secrets = secret_values(
        {"A_KEY": "hunter2", "B_KEY": "1", "C": "hunter3"}, {"D_KEY": "hunter22"}
    )
    assert secrets == ("hunter22", "hunter2")
    output, findings = scrub(b"A_KEY=hunter2 hunter22 1 hunter3", secrets)
    assert output == b"A_KEY=*** *** 1 hunter3"
    assert len(findings) == 2
    assert scrub(b"nothing", secrets) == (b"nothing", [])
