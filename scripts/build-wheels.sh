#!/usr/bin/env bash
# Build the source archive and, from it, a wheel for each supported Python; test each wheel.
#
# usage: scripts/build-wheels.sh [--commit COMMIT] [--out FOLDER] [--jobs N] [VERSION ...]
#        scripts/build-wheels.sh --help
#
#   --commit   what to build (HEAD); the working tree is not read
#   --out      where to write the files (dist)
#   --jobs     files to compile at once (1)
#   VERSION    the Pythons to build for (3.11 3.12 3.13): found as pythonX.Y, in pyenv, or by uv
#
# requirements-release.lock pins and hashes all build tools except the compiler. Each wheel gets the
# oldest manylinux tag that its symbols allow and is installed, away from the sources, into an empty
# environment with the versions of requirements-dev.lock. There it must learn the bundled example,
# write the report and answer a query, with every build of the kernels. All Pythons and all kernels
# must give the same bytes, or no wheel is delivered. If an interpreter is missing, the other wheels
# are built, and the exit code is 3.

set -euo pipefail
called_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,/^$/s/^# \{0,1\}//p' "scripts/build-wheels.sh"; }

commit=HEAD
out=dist
jobs=1
versions=()
while [ $# -gt 0 ]; do
  case "$1" in
    --help) usage && exit 0 ;;
    --commit) commit=${2:?--commit needs a commit} && shift 2 ;;
    --out) out=$(cd "$called_from" && realpath -m "${2:?--out needs a folder}") && shift 2 ;;
    --jobs) jobs=${2:?--jobs needs a number} && shift 2 ;;
    3.1[1-9]) versions+=("$1") && shift ;;
    *) echo "'$1' is neither an option nor a Python version from 3.11 on" >&2 && usage >&2 && exit 2 ;;
  esac
done
[ ${#versions[@]} -gt 0 ] || versions=(3.11 3.12 3.13)

# Print the path of an interpreter of this version, or nothing.
interpreter() {
  local candidate candidates
  candidates=("$(command -v "python$1" || true)")
  if command -v pyenv >/dev/null; then
    candidates+=("$(pyenv root)/versions/$1".*/bin/"python$1")
  fi
  for candidate in "${candidates[@]}"; do
    # pyenv may have a shim for a Python that is not installed, so check that it runs.
    if [ -x "$candidate" ] && "$candidate" -c '' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  "$tools/uv" --no-config python find --no-python-downloads --managed-python "$1" 2>/dev/null || true
}

build_wheel() {  # PYTHON FOLDER
  # Put the tools first on PATH: the build uses the cmake it finds there, whatever the lock says.
  PATH="$tools:$PATH" CMAKE_BUILD_PARALLEL_LEVEL=$jobs \
    "$tools/uv" --no-config build --wheel --python "$1" \
    --build-constraints requirements-release.lock --require-hashes --out-dir "$2" "$archive"
  # The kernels for newer processors are loaded only where they run, so they must not affect the tag.
  PATH="$tools:$PATH" "$tools/auditwheel" repair --disable-isa-ext-check \
    --wheel-dir "$2/repaired" "$2"/noisyor-*.whl
}

try_wheel() {  # PYTHON FOLDER WHEEL
  local kernels run
  "$tools/uv" --no-config venv --quiet --python "$1" "$2/venv"
  "$tools/uv" --no-config pip install --quiet --python "$2/venv/bin/python" \
    --only-binary=:all: --constraint requirements-dev.lock "$3"
  (
    cd "$2"  # away from the sources, which must not be imported
    venv/bin/noisyor --version
    venv/bin/noisyor examples clinic -o clinic.csv
    for kernels in $(venv/bin/python -c \
      'from noisyor._kernels import available_builds; print(*available_builds())'); do
      export NOISYOR_KERNELS=$kernels
      run=run-$kernels
      timeout 300 venv/bin/noisyor learn --quiet --jobs 1 clinic.csv -o "$run" >"$run.txt"
      rm "$run/report.html"
      timeout 300 venv/bin/noisyor report "$run"
      test -s "$run/report.html"
      timeout 300 venv/bin/noisyor query "$run/networks.json" flu cold pneumonia \
        --given fever=yes,cough=no >"$run/answer.txt"
      cat "$run"/{best.json,networks.json,answer.txt} | sha256sum | cut -c1-16 >>../digests.txt
      echo "kernels $kernels: $(grep -o '[0-9]* credible networks' "$run.txt")," \
        "results $(tail -n 1 ../digests.txt)"
    done
  )
  if [ "$(sort -u "$2/../digests.txt" | wc -l)" -ne 1 ]; then
    echo "the results differ between Pythons or kernels" >&2
    exit 1
  fi
}

tools=$(scripts/release-tools.sh)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out" "$scratch/source" "$scratch/made"

# Archives get the time of the commit, not of the build: the same commit gives the same bytes.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH
git archive "$commit" | tar -x -C "$scratch/source"
"$tools/uv" --no-config build --quiet --sdist --no-create-gitignore \
  --build-constraints requirements-release.lock --require-hashes \
  --out-dir "$scratch/archive" "$scratch/source"
archive=$(echo "$scratch"/archive/noisyor-*.tar.gz)
mv "$archive" "$scratch/made"
archive=$scratch/made/${archive##*/}
echo "built ${archive##*/} of $(git rev-parse --short "$commit"): $(stat -c %s "$archive") bytes"

missing=()
for version in "${versions[@]}"; do
  python=$(interpreter "$version")
  if [ -z "$python" ]; then
    missing+=("$version")
    continue
  fi
  started=$SECONDS
  echo "Python $version: $("$python" -c 'import platform; print(platform.python_version())')"
  build_wheel "$python" "$scratch/$version"
  wheel=$(echo "$scratch/$version"/repaired/noisyor-*.whl)
  try_wheel "$python" "$scratch/$version" "$wheel"
  mv "$wheel" "$scratch/made"
  echo "built ${wheel##*/}: $(stat -c %s "$scratch/made/${wheel##*/}") bytes, $((SECONDS - started)) s"
done
# Deliver only now: if one result differs, no file is delivered.
find "$scratch/made" -type f -exec cp {} "$out" \;

if [ ${#missing[@]} -gt 0 ]; then
  echo "not built, no interpreter found: ${missing[*]}" >&2
  exit 3
fi
