#!/usr/bin/env bash
# Install the tools for locks and releases into .venv-release; print their folder.
#
# usage: scripts/release-tools.sh [--help]
#
# Only wheels are installed, and the hash of each must be in requirements-release.lock. An
# environment that was made from the same lock is reused. PYTHON names the interpreter (python3).

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
  # Last, so that an interrupted installation is redone.
  cp "$lock" "$made_from"
fi
echo "$PWD/$environment/bin"
