#!/usr/bin/env bash
# Look up every package of the two locks in a vulnerability database; fail if it has an advisory.
#
# usage: scripts/audit.sh [pypi | osv | newest | --help]
#
#   pypi     pip-audit, with the advisories that pypi.org publishes (the default)
#   osv      pip-audit, with those of osv.dev
#   newest   for a mirror of pypi.org that has project pages but no version pages: a project page
#            lists the advisories of the newest version, and which versions were withdrawn
#
# Exit codes: 0 every package was answered and none has an advisory; 1 a package has an advisory;
# 3 no advisory is known, but some packages were not answered, which does not mean clean: a mirror,
# no network, or with 'newest' an older version.

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
