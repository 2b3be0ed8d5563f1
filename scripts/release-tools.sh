#!/usr/bin/env bash
# Install the tools that locks and releases are made with into .venv-release; print their folder.
#
# usage: scripts/release-tools.sh [--help]
#
# Only wheels are installed, and each must have its hash in requirements-release.lock. An
# environment that was made from that lock is left as it is. PYTHON names the interpreter
# (python3).

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ $# -gt 0 ]; then
  sed -n '2,/^$/s/^# \{0,1\}//p' "scripts/release-tools.sh"
  [ "$*" = "--help" ] && exit 0 || exit 2
fi

environment=.venv-release
lock=requirements-release.lock
made_from=$environment/made-from.lock

if ! cmp --silent "$lock" "$made_from"; then
  "${PYTHON:-python3}" -m venv --clear "$environment" >&2
  "$environment/bin/python" -m pip --disable-pip-version-check install --quiet \
    --require-hashes --only-binary=:all: --requirement "$lock" >&2
  # Last, so that an installation that was cut off is made anew.
  cp "$lock" "$made_from"
fi
echo "$PWD/$environment/bin"
