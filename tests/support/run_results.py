"""The results in the folder of a run, for comparing runs."""

import json
from pathlib import Path

TIMES_AND_WORK = ("seconds", "memory_mib", "families", "search", "pricing")
"""What a summary says of how a result was found; its results have other names."""


def results_in(folder: Path) -> dict[str, object]:
    """Return the bytes of every file at any depth, less times and work.

    These are in the summary, and in the run that report.json tells of; elsewhere there, `families`
    are results. Steps of EM have their seconds, also in em.json. Of the page, which is made from
    report.json, only that it is there.
    """
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.name in {"summary.json", "report.json", "em.json"}:
            found[name] = _without_work(path)
        elif path.name == "report.html":
            found[name] = path.read_bytes().startswith(b"<!doctype html>")
        else:
            found[name] = path.read_bytes() if path.is_file() else "a folder"
    return found


def _without_work(path: Path) -> str:
    content = json.loads(path.read_bytes())
    told = content["run"] if path.name == "report.json" else content
    for key in TIMES_AND_WORK:
        told.pop(key, None)
    for start in (told.get("missing") or told).get("starts", ()):
        for step in start["steps"]:
            del step["seconds"]
    return json.dumps(content)  # with the order of its keys
