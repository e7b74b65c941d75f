"""The document of suggestions for one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.errors import AnswerIsNo
from atlas.evals.documents import now_utc
from atlas.task.contract import RowContract, contract_of

if TYPE_CHECKING:
    from atlas.task.contract import RowContract
    from atlas.task.row_source import SourceRow

SCHEMA = "hipfire.kernel_atlas.suggestions.v0"
MEASURED = "Measured evidence, not promotion proof."
_TARGET = ("host", "arch", "workload", "phase", "shape_bucket", "quant")
_COUNTS = ("history_entries", "target_entries", "matched_entries", "demoted_suggestions")


@dataclass(frozen=True, slots=True)
class SuggestionWishes:
    """What was asked for.

    Attributes:
        hot_limit: kernels of the profile that are looked at.
        max_suggestions: at most so many.
        history: further tries, see `atlas.suggest.history.read_history`.
        correctness_commands: joined to each suggestion; they take no part in its id.
    """

    hot_limit: int = 8
    max_suggestions: int = 12
    history: str | None = None
    correctness_commands: tuple[str, ...] = ()


def suggestions_document(source: SourceRow, wishes: SuggestionWishes) -> dict[str, Any]:
    """Ranked suggestions for a row, as JSON.

    Raises:
        AnswerIsNo: the row is partial, quarantined or contested: no input to suggestions.
    """
    found = ask(
        source.reader,
        source.catalog,
        "suggestions",
        row_id=source.row_id,
        hot_limit=wishes.hot_limit,
        max_suggestions=wishes.max_suggestions,
        history=wishes.history,
    ).dicts()
    if not found:
        _refuse_partial(source)
    contract = contract_of(source)
    terms = _eval(contract)
    return {
        "schema": SCHEMA,
        "captured_at_utc": now_utc(),
        "row_id": source.row_id,
        "target": {name: contract.target[name] for name in _TARGET},
        "metric": contract.metric,
        "fit_read": _fit_read(source),
        "history": _history(found),
        "suggestion_count": len(found),
        "suggestions": [_suggestion(one, wishes, terms) for one in found],
        "note": MEASURED,
    }


def _refuse_partial(source: SourceRow) -> None:
    row = ask(source.reader, source.catalog, "selected_rows", row_id=source.row_id).dicts()[0]
    if row["status"] != "ok" or row["contested"]:
        state = "contested" if row["contested"] else row["status"]
        raise AnswerIsNo(
            f"row {source.row_id} is {state}: no suggestion rests on it",
            hint="`atlas query rows` lists others",
        )


def _fit_read(source: SourceRow) -> dict[str, Any]:
    fit = ask(source.reader, source.catalog, "fit_of", row_id=source.row_id).dicts()
    told = fit[0] if fit else {}
    return {
        "likely_limit": told.get("limit_text"),
        "left_on_table": told.get("left_text"),
        "quant_question": told.get("question"),
    }


def _history(found: list[dict[str, Any]]) -> dict[str, int]:
    counts = found[0] if found else dict.fromkeys(_COUNTS, 0)
    return {name.removeprefix("history_"): counts[name] for name in _COUNTS}


def _eval(contract: RowContract) -> dict[str, Any]:
    return {
        "metric": contract.metric,
        "goal": contract.goal,
        "benchmark_command": contract.command,
        "env": contract.env,
        "stripped_env_keys": contract.stripped,
        "requires_fresh_baseline": contract.requires_fresh_baseline,
    }


def _suggestion(
    row: dict[str, Any], wishes: SuggestionWishes, terms: dict[str, Any]
) -> dict[str, Any]:
    told = {name: one for name, one in row.items() if name not in (*_COUNTS, "row_id")}
    if told["score_before_history"] is None:
        del told["score_before_history"]
    commands = list(wishes.correctness_commands)
    return {**told, "eval": terms, "correctness_commands": commands}
