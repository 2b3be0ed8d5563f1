"""What was done about missing cells, read back from the summary of a run."""

from noisyor.core.left_out_columns import LeftOutColumn, WhyLeftOut
from noisyor.formats.json_place import JsonPlace
from noisyor.runs.missing_cells import EmRecord, EmStart, EmStep, MissingCells

_STEP = ("expected_cost", "observed_cost", "arcs", "changed", "exact", "seconds")
_START = ("begins_with", "steps", "settled", "ended", "chosen", "different_arcs", "observed_cost")
_POLICY = ("policy", "cells", "incomplete_records", "left_out")
_EM = (
    "label",
    "completions",
    "seed",
    "starts_asked",
    "stopped",
    "observed_log_likelihood",
    "best_start",
    "spread",
    "starts",
)


def missing_in(place: JsonPlace) -> MissingCells:
    """Return what `MissingCells.summary` has written; a FormatError says what is wrong."""
    has_em = "starts" in place.by_name()
    fields = place.fields(*_POLICY, *(_EM if has_em else ()))
    return MissingCells(
        fields["policy"].text(),
        _count(fields["cells"]),
        _count(fields["incomplete_records"]),
        fields["left_out"].whole_number(0),
        _em(fields) if has_em else None,
    )


def columns_left_out_in(said: object) -> tuple[LeftOutColumn, ...]:
    """Return the columns that `left_out_summary` has written; older summaries have none."""
    if said is None:
        return ()
    by_reason = JsonPlace(said, "columns_left_out").by_name()
    return tuple(
        LeftOutColumn(name.text(), WhyLeftOut.of(why))
        for why, names in by_reason.items()
        for name in names.entries()
    )


def step_in(place: JsonPlace) -> EmStep:
    """Return a step of EM."""
    fields = place.fields(*_STEP)
    return EmStep(
        fields["expected_cost"].number(),
        fields["observed_cost"].number(),
        fields["arcs"].whole_number(0),
        fields["changed"].whole_number(0),
        fields["exact"].truth(),
        fields["seconds"].number(),
    )


def _em(fields: dict[str, JsonPlace]) -> EmRecord:
    starts = tuple(_start(one) for one in fields["starts"].entries())
    stopped = fields["stopped"]
    return EmRecord(
        fields["completions"].whole_number(1),
        fields["seed"].whole_number(0),
        starts,
        fields["best_start"].whole_number(1, len(starts)) - 1,
        fields["observed_log_likelihood"].number(),
        fields["starts_asked"].whole_number(len(starts)),
        "" if stopped.value is None else stopped.text(),
    )


def _start(place: JsonPlace) -> EmStart:
    fields = place.fields(*_START)
    steps = tuple(step_in(one) for one in fields["steps"].entries())
    return EmStart(
        fields["begins_with"].text(),
        steps,
        fields["settled"].truth(),
        fields["ended"].text(),
        fields["chosen"].whole_number(1, len(steps)),
        fields["different_arcs"].whole_number(0),
    )


def _count(place: JsonPlace) -> int | None:
    return None if place.value is None else place.whole_number(0)
