#!/bin/sh
# Prints the fit view of a row: render-fit.sh [ROW] [options of `atlas render-fit`]
# Takes the installed `atlas`, else the one of the repository this file lies in.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../../.." && pwd)
if command -v atlas >/dev/null 2>&1; then
  exec atlas render-fit "$@"
elif [ -x "$root/.venv/bin/atlas" ]; then
  exec "$root/.venv/bin/atlas" render-fit "$@"
fi
PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}" exec "${PYTHON:-python3}" -m atlas render-fit "$@"
