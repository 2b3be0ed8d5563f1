#!/usr/bin/env bash
# Write requirements-dev.lock and requirements-release.lock: every version pinned, with hashes.
#
# usage: scripts/lock.sh [--upgrade | --check | --help]
#
#   (nothing)   follow changes in pyproject.toml and scripts/requirements-release.in;
#               keep every other version
#   --upgrade   take the newest versions that they allow
#   --check     write nothing; fail if a lock is not what the plain command would write
#
# The locks hold for every platform and every Python that noisyor supports. They name no package
# index: a file is identified by its hash, wherever it comes from. UV names the uv to use; by
# default, the one of requirements-release.lock is installed into .venv-release.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

upgrade=()
check=no
case "$*" in
  "") ;;
  --upgrade) upgrade=(--upgrade) ;;
  --check) check=yes ;;
  *)
    sed -n '2,/^$/s/^# \{0,1\}//p' "scripts/lock.sh"
    [ "$*" = "--help" ] && exit 0 || exit 2
    ;;
esac

uv=${UV:-$(scripts/release-tools.sh)/uv}

# uv reads the versions to keep from the old lock, so it updates a copy, which replaces the lock
# once it is complete.
compile() {
  local lock=$1 made
  shift
  made=$(mktemp "$lock.XXXXXX")
  # shellcheck disable=SC2064  # expand now: 'made' is out of scope on exit
  trap "rm -f '$made'" EXIT
  if [ -e "$lock" ]; then cp "$lock" "$made"; fi
  "$uv" --no-config pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --custom-compile-command scripts/lock.sh "${upgrade[@]}" --output-file "$made" "$@"
  if [ "$check" = no ]; then
    chmod 644 "$made"
    mv "$made" "$lock"
  elif ! cmp "$lock" "$made" >&2; then
    echo "$lock is out of date: run scripts/lock.sh" >&2
    exit 1
  else
    rm "$made"
  fi
}

compile requirements-release.lock scripts/requirements-release.in
compile requirements-dev.lock --all-extras pyproject.toml
