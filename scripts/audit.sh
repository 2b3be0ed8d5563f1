#!/usr/bin/env bash
# Ask a database of vulnerabilities about every package of the two locks; fail if it knows of one.
#
# usage: scripts/audit.sh [pypi | osv | newest | --help]
#
#   pypi     pip-audit, with the advisories that pypi.org publishes (the default)
#   osv      pip-audit, with those of osv.dev
#   newest   for where only a mirror of pypi.org can be reached, which has pages on projects and none
#            on versions: a page tells the advisories of the newest version, and what was withdrawn
#
# Exit codes: 0 all were answered for, and no advisory is known; 1 one is known; 3 none is known, but
# not all were answered for, which is not the same as clean: a mirror, no network, or with 'newest' an
# older version.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

service=${1:-pypi}
case "$#:$service" in
  [01]:pypi | 1:osv | 1:newest) ;;
  *)
    sed -n '2,/^$/s/^# \{0,1\}//p' "scripts/audit.sh"
    [ "$*" = "--help" ] && exit 0 || exit 2
    ;;
esac

tools=$(scripts/release-tools.sh)
exec "$tools/python" scripts/advisories.py "$service" requirements-dev.lock requirements-release.lock
