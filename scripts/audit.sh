#!/usr/bin/env bash
# Ask a database of vulnerabilities about every package of the two locks; fail if it knows of one.
#
# usage: scripts/audit.sh [pypi | osv | --help]
#
#   pypi   the advisories that pypi.org publishes (the default)
#   osv    those of osv.dev
#
# The database must be reachable. A package that it says nothing about is a failure too (--strict):
# where a mirror stands in for pypi.org, every package is unknown, which is not the same as clean.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

service=${1:-pypi}
case "$service" in
  pypi | osv) ;;
  *)
    sed -n '2,/^$/s/^# \{0,1\}//p' "scripts/audit.sh"
    [ "$*" = "--help" ] && exit 0 || exit 2
    ;;
esac

tools=$(scripts/release-tools.sh)
for lock in requirements-dev.lock requirements-release.lock; do
  echo "$lock, by $service:"
  # Nothing is installed or resolved: a lock names every package, with its hashes.
  "$tools/pip-audit" --strict --disable-pip --require-hashes --progress-spinner off \
    --vulnerability-service "$service" --requirement "$lock"
done
