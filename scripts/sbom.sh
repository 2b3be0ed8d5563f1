#!/usr/bin/env bash
# Write the bill of materials of a release: noisyor and all that it needs, as CycloneDX JSON.
#
# usage: scripts/sbom.sh [--out FOLDER] [--help]
#
#   --out   where noisyor-VERSION.cdx.json goes (dist)
#
# It lists what runs with noisyor, in the versions of requirements-dev.lock that the release was
# tested with, with licences and who needs whom, and nanobind, which is linked into the kernels.
# The same locks and the same Python (PYTHON names it; python3.11) give the same file.

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

version=$("$python" -c \
  'import tomllib; print(tomllib.load(open("pyproject.toml", "rb"))["project"]["version"])')
mkdir -p "$out"
"$tools/cyclonedx-py" environment --pyproject pyproject.toml --mc-type library \
  --output-reproducible --output-format JSON --output-file "$out/noisyor-$version.cdx.json" \
  "$scratch/venv/bin/python"
echo "wrote noisyor-$version.cdx.json"
