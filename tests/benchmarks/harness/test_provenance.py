"""Each result says which sources, versions and machine it comes from."""

import pytest

from benchmarks.harness import provenance


def test_provenance_says_what_results_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "commit", lambda: "0123456789ab")
    provenance.provenance.cache_clear()
    found = provenance.provenance()
    provenance.provenance.cache_clear()
    assert found["commit"] == "0123456789ab"
    assert {"noisyor", "python", "numpy", "highspy", "machine"} <= set(found)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("", "0123456789ab"),
        (" M benchmarks/results/learn.json\n", "0123456789ab"),
        (" M src/noisyor/learned.py\n", "0123456789ab+"),
        ("?? benchmarks/results/new.jsonl\n M cpp/module.cpp\n", "0123456789ab+"),
    ],
)
def test_sources_that_differ_from_their_commit_are_marked(
    monkeypatch: pytest.MonkeyPatch, changed: str, expected: str
) -> None:
    def answer(*arguments: str) -> str:
        return "0123456789ab\n" if arguments[0] == "rev-parse" else changed

    monkeypatch.setattr(provenance, "_git", answer)
    assert provenance.commit() == expected
