#!/usr/bin/env bash
# Test noisyor with the oldest versions that pyproject.toml allows: are its lower bounds true?
#
# usage: scripts/minimal-versions.sh [--wheel FILE] [--jobs N] [--help]
#
#   --wheel     test this wheel, and leave the bounds of the build alone; without it, one is built
#               from the working tree with the oldest build requirements
#   --jobs      files to compile at once (1)
#
# In an empty environment of the oldest Python (PYTHON names it; python3.11), every requirement of
# noisyor, of its extras and of its tests is the oldest that is allowed; what they require in turn
# is the newest that fits. Then the tests run that meet other libraries. Only wheels are installed.

set -euo pipefail
called_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,/^$/s/^# \{0,1\}//p' "scripts/minimal-versions.sh"; }

wheel=
jobs=1
extras=interop,plots,sklearn
tests=(tests/data tests/estimator/test_tables.py tests/formats tests/interop tests/networks
  tests/reporting/test_page.py tests/reporting/test_plots.py tests/test_cli_learn.py
  tests/test_cli_networks.py)
while [ $# -gt 0 ]; do
  case "$1" in
    --help) usage && exit 0 ;;
    --wheel) wheel=$(cd "$called_from" && realpath "${2:?--wheel needs a file}") && shift 2 ;;
    --jobs) jobs=${2:?--jobs needs a number} && shift 2 ;;
    *) echo "'$1' is not an option" >&2 && usage >&2 && exit 2 ;;
  esac
done

# Print requirements of pyproject.toml: those of the build, or of the tests.
asked_for() {
  "$python" - "$1" <<'PYTHON'
import re, sys, tomllib
with open("pyproject.toml", "rb") as file:
    asked = tomllib.load(file)
if sys.argv[1] == "build":
    print(*asked["build-system"]["requires"], sep="\n")
else:
    tools = {"hypothesis", "mpmath", "pandas", "pyarrow", "pydot"}
    for line in asked["project"]["optional-dependencies"]["dev"]:
        name = re.match(r"[\w-]+", line)[0]
        if name in tools or name.startswith("pytest"):
            print(line)
PYTHON
}

python=${PYTHON:-python3.11}
tools=$(scripts/release-tools.sh)
uv() { "$tools/uv" --no-config "$@"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# By way of the source archive: it has what is compiled and the tests, and no leftovers of builds.
uv build --quiet --sdist --python "$python" --out-dir "$scratch/archive" .
if [ -z "$wheel" ]; then
  asked_for build | uv pip compile --quiet --resolution lowest-direct --no-annotate --no-header \
    --python "$python" - >"$scratch/build.txt"
  echo "built with: $(tr '\n' ' ' <"$scratch/build.txt")"
  CMAKE_BUILD_PARALLEL_LEVEL=$jobs uv build --wheel --python "$python" \
    --build-constraints "$scratch/build.txt" --out-dir "$scratch/wheel" \
    "$scratch"/archive/noisyor-*.tar.gz
  wheel=$(echo "$scratch"/wheel/noisyor-*.whl)
fi

asked_for tests >"$scratch/tests.txt"
uv venv --quiet --python "$python" "$scratch/venv"
uv pip install --quiet --python "$scratch/venv/bin/python" --resolution lowest-direct \
  --only-binary=:all: --requirement "$scratch/tests.txt" "noisyor[$extras] @ file://$wheel"
echo "tested with: $(uv pip freeze --quiet --python "$scratch/venv/bin/python" | sed 's/ @ .*//' | tr '\n' ' ')"

tar -x -z -C "$scratch" -f "$scratch"/archive/noisyor-*.tar.gz
cd "$scratch"/noisyor-*/
# Warnings are errors only with the newest versions: old ones warn of what has long been mended.
"$scratch/venv/bin/python" -m pytest -q -n 1 -p no:cacheprovider -W default "${tests[@]}"
