#!/usr/bin/env bash
# Write the bill of materials of a release, as CycloneDX JSON: noisyor and its requirements.
#
# usage: scripts/sbom.sh [--out FOLDER] [--help]
#
#   --out   where to write noisyor-VERSION-cp3XX.cdx.json (dist)
#
# It lists the runtime requirements of noisyor, in the versions of requirements-dev.lock that the
# release was tested with, with licences and dependencies; and nanobind with its bundled hash map,
# which are linked into the kernels. There is one file per Python (PYTHON names it; python3.11), since
# the lock may have other versions for each. The same locks and the same Python give the same file.
# A file that violates the schema, or lacks a requirement or a licence, is not delivered.

set -euo pipefail
called_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=$PWD/dist
case "$#:${1:-}" in
  0:) ;;
  2:--out) out=$(cd "$called_from" && realpath -m "$2") ;;
  *)
    sed -n '2,/^$/s/^# \{0,1\}//p' "scripts/sbom.sh"
    [ "$*" = "--help" ] && exit 0 || exit 2
    ;;
esac

python=${PYTHON:-python3.11}
tools=$(scripts/release-tools.sh)
uv() { "$tools/uv" --no-config "$@"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

grep '^nanobind==' scripts/requirements-release.in | sed 's/ *#.*//' >"$scratch/linked.in"
uv pip compile --quiet --python "$python" --generate-hashes --no-header --no-annotate \
  --constraint requirements-dev.lock --output-file "$scratch/runtime.txt" \
  pyproject.toml "$scratch/linked.in"
uv venv --quiet --python "$python" "$scratch/venv"
uv pip install --quiet --python "$scratch/venv/bin/python" --require-hashes \
  --only-binary=:all: --requirement "$scratch/runtime.txt"

name=$("$python" - <<'PYTHON'
import sys, tomllib
with open("pyproject.toml", "rb") as file:
    version = tomllib.load(file)["project"]["version"]
print(f"noisyor-{version}-cp{sys.version_info.major}{sys.version_info.minor}.cdx.json")
PYTHON
)
"$tools/cyclonedx-py" environment --pyproject pyproject.toml --mc-type library \
  --output-reproducible --output-format JSON --output-file "$scratch/$name" \
  "$scratch/venv/bin/python"
"$tools/python" scripts/complete_bill.py "$scratch/$name" \
  "$("$scratch/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
mkdir -p "$out"
mv "$scratch/$name" "$out"
echo "wrote $name"
