"""The one place where errors become a line and an exit code."""

from __future__ import annotations

import json
import os
import sys

import click

from atlas.cli.app import cli
from atlas.cli.state import State
from atlas.errors import AtlasError
from atlas.render.text import printable
from ledger.errors import LedgerError

INTERRUPTED = 130
_INTERNAL = 3


def run(arguments: list[str]) -> int:
    """Run the command line.

    Returns:
        Exit code: 0 done, 1 the answer is no, 2 bad usage or input, 3 the ledger can't be opened
        or is damaged, 130 interrupted.
    """
    state = State()
    try:
        code = cli.main(args=arguments, prog_name="atlas", standalone_mode=False, obj=state)
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, click.Abort):
        return _tell(state, INTERRUPTED, "interrupted", "interrupted", "what ended is kept")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except click.ClickException as error:
        return _tell_usage(state, error)
    except (AtlasError, LedgerError) as error:
        if os.environ.get("ATLAS_DEBUG") == "1":
            raise
        return _tell(state, error.exit_code, error.code, str(error), error.hint)
    except Exception as error:
        if os.environ.get("ATLAS_DEBUG") == "1":
            raise
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        return _tell(state, _INTERNAL, "internal", said, "a defect: ATLAS_DEBUG=1 shows where")


def _tell_usage(state: State, error: click.ClickException) -> int:
    path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "atlas"
    message = error.format_message().rstrip(".")
    return _tell(state, 2, "bad_usage", message, f"`{path} --help` explains it")


def _tell(state: State, code: int, name: str, message: str, hint: str) -> int:
    if state.format in ("json", "jsonl"):
        told = {"ok": False, "code": name, "error": message, "hint": hint}
        click.echo(json.dumps(told), err=True)
    else:
        tail = f" ({hint})" if hint else ""
        click.echo(f"atlas: {printable(message)}{printable(tail)}", err=True)
    return code
