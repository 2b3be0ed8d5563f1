"""Add to a bill of materials what cyclonedx-py cannot see, and refuse an incomplete one.

usage: python scripts/complete_bill.py BILL FOLDER

BILL is CycloneDX JSON of the packages installed in FOLDER. Called by scripts/sbom.sh.
"""
# ruff: noqa: INP001, T201  # a script that prints

import json
import re
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

BAD_BILL, BAD_USAGE = 1, 2


def plain_name(name: str) -> str:
    """Return the normalized name of a package."""
    return re.sub(r"[-_.]+", "-", name).lower()


def add_licences(bill: dict[str, Any], declared: dict[str, str]) -> None:
    """Add licences from the old field 'License', which cyclonedx-py reads only if it is SPDX."""
    for component in bill["components"]:
        name = plain_name(component["name"])
        if not component.get("licenses") and name in declared:
            component["licenses"] = [
                {"license": {"acknowledgement": "declared", "name": declared[name]}}
            ]


def add_linked(bill: dict[str, Any], robin_map: str) -> None:
    """Add the header-only hash map bundled with nanobind, which is not a package of its own."""
    reference = f"robin-map=={robin_map}"
    bill["components"].append(
        {
            "bom-ref": reference,
            "description": "a header-only hash map, bundled with nanobind",
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
    """Return what is missing from the bill: requirements of noisyor, versions, licences."""
    listed = {plain_name(component["name"]) for component in bill["components"]}
    lacking = [f"{name} is missing" for name in required if name not in listed]
    for component in bill["components"]:
        lacking += [
            f"{component['name']} has no {field}"
            for field in ("version", "licenses")
            if not component.get(field)
        ]
    return lacking


def declared_in(folder: Path) -> dict[str, str]:
    """Return the licence that each installed package names, except those that quote it."""
    packages = (one.metadata for one in distributions(path=[str(folder)]))
    return {
        plain_name(one["Name"]): one["License"]
        for one in packages
        if "License" in one and "\n" not in one["License"]
    }


def robin_map_version(folder: Path) -> str:
    """Read the version of robin-map from the headers that nanobind installs."""
    header = folder / "nanobind/ext/robin_map/include/tsl/robin_growth_policy.h"
    numbers = dict(re.findall(r"#define TSL_RH_VERSION_(\w+) (\d+)", header.read_text()))
    return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))


def schema_error(text: str) -> str | None:
    """Return the first violation of the CycloneDX 1.6 schema, or None."""
    # Installed with the release tools only.
    from cyclonedx.schema import SchemaVersion  # type: ignore[import-not-found]  # noqa: PLC0415
    from cyclonedx.validation.json import JsonStrictValidator  # type: ignore[import-not-found]  # noqa: PLC0415

    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return None if error is None else str(error)


def main(arguments: list[str]) -> int:
    """Complete the bill in place; return the exit code."""
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
