#!/usr/bin/env bash
# Test noisyor with the oldest versions that pyproject.toml allows: are its lower bounds right?
#
# usage: scripts/minimal-versions.sh [--wheel FILE] [--jobs N] [--help]
#
#   --wheel     test this wheel, without testing the build requirements; by default, a wheel is
#               built from the working tree with the oldest build requirements
#   --jobs      files to compile at once (1)
#
# In an empty environment of the oldest Python (PYTHON names it; python3.11), install the oldest
# allowed version of every requirement of noisyor, its extras and its tests, and the newest versions
# that fit of what these require in turn. Then run the tests of the modules that use other
# libraries. Only wheels are installed.

set -euo pipefail
called_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,/^$/s/^# \{0,1\}//p' "scripts/minimal-versions.sh"; }

wheel=
jobs=1
extras=(cluster interop plots sklearn)
# The tests of every module that imports another library: only these can be affected.
tests=(tests/data/test_binarize.py tests/data/test_sources.py tests/estimator/test_credible_network.py
  tests/estimator/test_tables.py tests/formats/test_dot.py tests/formats/test_graphml.py
  tests/formats/test_knowledge_files.py tests/formats/test_member_files.py
  tests/formats/test_score_parquet.py tests/interop tests/networks/test_graph.py
  tests/reporting/test_columns.py tests/reporting/test_page.py tests/reporting/test_plots.py
  tests/scoring/test_cluster_tasks.py tests/search/bounds/test_bounding.py tests/cli/test_learn.py
  tests/cli/test_networks.py)
while [ $# -gt 0 ]; do
  case "$1" in
    --help) usage && exit 0 ;;
    --wheel) wheel=$(cd "$called_from" && realpath "${2:?--wheel needs a file}") && shift 2 ;;
    --jobs) jobs=${2:?--jobs needs a number} && shift 2 ;;
    *) echo "'$1' is not an option" >&2 && usage >&2 && exit 2 ;;
  esac
done

# Print requirements of pyproject.toml: those of the build, or of noisyor, its extras and its tests.
asked_for() {
  "$python" - "$@" <<'PYTHON'
import re, sys, tomllib
with open("pyproject.toml", "rb") as file:
    asked = tomllib.load(file)
if sys.argv[1] == "build":
    print(*asked["build-system"]["requires"], sep="\n")
else:
    extras = asked["project"]["optional-dependencies"]
    print(*asked["project"]["dependencies"], sep="\n")
    for extra in sys.argv[2:]:
        print(*extras[extra], sep="\n")
    tools = {"hypothesis", "mpmath", "pandas", "pyarrow", "pydot"}
    for line in extras["dev"]:
        name = re.match(r"[\w-]+", line)[0]
        if name in tools or name.startswith("pytest"):
            print(line)
PYTHON
}

# Fail if an installed package is not the version that its lower bound names: a newer one means
# that the bound is not tested, or that no such version is available.
are_oldest() {  # LIST PYTHON
  "$2" - "$1" <<'PYTHON'
import re, sys
from importlib.metadata import version
newer = []
for line in open(sys.argv[1]):
    name, bound = re.fullmatch(r"([\w-]+)>=([\d.]+)", line.strip()).groups()
    if not f"{version(name)}.".startswith(f"{bound}."):
        newer.append(f"{line.strip()}: {version(name)}")
sys.exit("not the oldest: " + ", ".join(newer) if newer else 0)
PYTHON
}

python=${PYTHON:-python3.11}
tools=$(scripts/release-tools.sh)
uv() { "$tools/uv" --no-config "$@"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Use the source archive: it has the sources and the tests, and no leftovers of builds.
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

# Install the requirements by name and the wheel without them: only named ones get their oldest version.
asked_for tests "${extras[@]}" >"$scratch/tests.txt"
uv venv --quiet --python "$python" "$scratch/venv"
uv pip install --quiet --python "$scratch/venv/bin/python" --resolution lowest-direct \
  --only-binary=:all: --requirement "$scratch/tests.txt"
are_oldest "$scratch/tests.txt" "$scratch/venv/bin/python"
uv pip install --quiet --python "$scratch/venv/bin/python" --no-deps "$wheel"
uv pip check --quiet --python "$scratch/venv/bin/python"
echo "tested with: $(uv pip freeze --quiet --python "$scratch/venv/bin/python" | sed 's/ @ .*//' | tr '\n' ' ')"

tar -x -z -C "$scratch" -f "$scratch"/archive/noisyor-*.tar.gz
cd "$scratch"/noisyor-*/
# Warnings are errors only with the newest versions: old ones warn about what has since been fixed.
"$scratch/venv/bin/python" -m pytest -q -n 1 -p no:cacheprovider -W default "${tests[@]}"
