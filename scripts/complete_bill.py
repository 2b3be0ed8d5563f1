"""Add to a bill of materials what its maker cannot see, and refuse one that is not whole.

usage: python scripts/complete_bill.py BILL FOLDER

BILL is CycloneDX JSON of the packages that are installed in FOLDER. Behind scripts/sbom.sh.
"""
# ruff: noqa: INP001, T201  # a script, which prints

import json
import re
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

BAD_BILL, BAD_USAGE = 1, 2


def plain_name(name: str) -> str:
    """Return the name of a package as indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def add_licences(bill: dict[str, Any], declared: dict[str, str]) -> None:
    """Add licences by the old field 'License', which the maker reads only if it is an SPDX name."""
    for component in bill["components"]:
        name = plain_name(component["name"])
        if not component.get("licenses") and name in declared:
            component["licenses"] = [
                {"license": {"acknowledgement": "declared", "name": declared[name]}}
            ]


def add_linked(bill: dict[str, Any], robin_map: str) -> None:
    """Add the hash map that nanobind brings as headers, which is no package of its own."""
    reference = f"robin-map=={robin_map}"
    bill["components"].append(
        {
            "bom-ref": reference,
            "description": "a hash map; headers that come with nanobind",
            "licenses": [{"license": {"acknowledgement": "declared", "id": "MIT"}}],
            "name": "robin-map",
            "purl": f"pkg:github/tessil/robin-map@v{robin_map}",
            "type": "library",
            "version": robin_map,
        }
    )
    bill["dependencies"].append({"ref": reference})
    (nanobind,) = (one for one in bill["dependencies"] if re.fullmatch(r"nanobind==.*", one["ref"]))
    nanobind["dependsOn"] = [*nanobind.get("dependsOn", []), reference]


def faults(bill: dict[str, Any], required: list[str]) -> list[str]:
    """Return what the bill lacks: requirements of noisyor, versions, licences."""
    listed = {plain_name(component["name"]) for component in bill["components"]}
    lacking = [f"{name} is not in it" for name in required if name not in listed]
    for component in bill["components"]:
        lacking += [
            f"{component['name']} has no {field}"
            for field in ("version", "licenses")
            if not component.get(field)
        ]
    return lacking


def declared_in(folder: Path) -> dict[str, str]:
    """Return the licence that each installed package names; not those that give its whole text."""
    packages = (one.metadata for one in distributions(path=[str(folder)]))
    return {
        plain_name(one["Name"]): one["License"]
        for one in packages
        if "License" in one and "\n" not in one["License"]
    }


def robin_map_version(folder: Path) -> str:
    """Read the version out of the headers that nanobind installs."""
    header = folder / "nanobind/ext/robin_map/include/tsl/robin_growth_policy.h"
    numbers = dict(re.findall(r"#define TSL_RH_VERSION_(\w+) (\d+)", header.read_text()))
    return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))


def schema_error(text: str) -> str | None:
    """Return what the schema of CycloneDX 1.6 says against a bill, or None."""
    # Of the tools of a release: only they have it.
    from cyclonedx.schema import SchemaVersion  # type: ignore[import-not-found]  # noqa: PLC0415
    from cyclonedx.validation.json import JsonStrictValidator  # type: ignore[import-not-found]  # noqa: PLC0415

    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return None if error is None else str(error)


def main(arguments: list[str]) -> int:
    """Complete the bill in its place; return the exit code."""
    if len(arguments) != len(("BILL", "FOLDER")):
        print(__doc__, file=sys.stderr)
        return BAD_USAGE
    path, folder = map(Path, arguments)
    bill = json.loads(path.read_text())
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    add_licences(bill, declared_in(folder))
    add_linked(bill, robin_map_version(folder))
    required = [plain_name(re.split(r"[^\w.-]", line)[0]) for line in project["dependencies"]]
    text = json.dumps(bill, indent=2, sort_keys=True) + "\n"
    wrong = faults(bill, [*required, "nanobind"])
    if (error := schema_error(text)) is not None:
        wrong.append(error)
    if wrong:
        print(*wrong, sep="\n", file=sys.stderr)
        return BAD_BILL
    path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
