"""Probabilities of arcs from a file: a person's, or the arc strengths of an earlier run.

    from,to,probability
    smoking,cancer,0.9
    cancer,smoking,0.01

The `arcs.csv` of a run's folder is read as well; an arc then has the weight of the networks that
have it. No finite number of records makes an arc certain, so these weights are kept within
LEAST_STRENGTH and 1 - LEAST_STRENGTH, and an arc that no network had gets the least one.
"""

import csv
import io
from pathlib import Path

from noisyor.core import FormatError, Prior
from noisyor.core.arguments import checked_arguments
from noisyor.core.errors import errors_at
from noisyor.files.content import text_in

LEAST_STRENGTH = 0.01
"""The least probability of an arc from an earlier run; the largest is 1 less this."""

_STATED = "probability"
_FOUND = "weight"


@checked_arguments
def read_prior(path: str | Path) -> Prior:
    """Return the prior in a CSV file of arcs.

    Parameters
    ----------
    path
        A file with the columns `from`, `to` and `probability`, or the `arcs.csv` of a run.
    """
    path = Path(path)
    text = text_in(path)
    with errors_at(path, raised=FormatError):
        try:
            return _prior_in(text)
        except csv.Error as error:
            raise FormatError(f"it is no CSV file: {error}") from error


def _prior_in(text: str) -> Prior:
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    columns = rows.fieldnames or ()
    stated = _STATED in columns
    if not {"from", "to"} <= set(columns) or not (stated or _FOUND in columns):
        raise FormatError(
            f"its first line is {','.join(columns)!r:.80}; it must be from,to,{_STATED}, or that "
            f"of a run's arcs.csv, with from, to and {_FOUND}"
        )
    arcs = []
    for row in rows:
        if None in row:  # what csv calls the cells beyond the first line's
            raise FormatError(f"line {rows.line_num} has more cells than the first line")
        number = row[_STATED if stated else _FOUND]
        try:
            probability = float(number)
        except (TypeError, ValueError):
            raise FormatError(f"line {rows.line_num}: {number!r} is no probability") from None
        if not stated:
            probability = min(max(probability, LEAST_STRENGTH), 1 - LEAST_STRENGTH)
        arcs.append((row["from"], row["to"], probability))
    return Prior(arcs) if stated else Prior(arcs, LEAST_STRENGTH)


def prior_from(given: "Prior | str | Path | None") -> Prior:
    """Return the prior that was given: itself, in a file, or none."""
    if given is None:
        return Prior.none()
    return given if isinstance(given, Prior) else read_prior(given)
