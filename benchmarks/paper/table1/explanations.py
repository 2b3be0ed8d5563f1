"""Possible explanations of the paper's EM column in Table 1, compared with that column."""

from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results
from benchmarks.paper.table1.readings import READINGS
from benchmarks.paper.table1.stored import (
    DIVERGENCE,
    MANY_TESTS,
    OUR_NAMES,
    RELATIVE,
    Cells,
    best_readings,
    em_likenesses,
    factor_text,
    interval,
    likeness_cells,
)


def explanations(cells: Cells) -> str:
    """Return the readings, how close each comes to the paper's column, and the closest one."""
    likenesses = em_likenesses(cells)
    rows = [
        [words, *(cell for measure in OUR_NAMES for cell in _near(likenesses, measure, name))]
        for name, words in READINGS.items()
    ]
    headings = ["what may have been measured"]
    for measure in ("error", "KL"):
        headings += [f"{measure}: typical factor", "worst factor", "likely"]
    best = best_readings(likenesses)
    introduction = (
        "What explains the paper's EM column? Several mistakes and shortcuts, each made on "
        f"purpose with {MANY_TESTS:,} tests of each size, against that column (divergences: "
        "finite part; the columns as above):"
    )
    parts = (
        introduction,
        table(headings, rows),
        _best_words(best, likenesses),
        _best_table(cells, best),
    )
    return "\n\n".join(parts)


def _near(likenesses: dict[tuple[str, str], Results], measure: str, name: str) -> list[str]:
    like = likenesses.get((measure, name))
    return ["-"] * 3 if like is None else likeness_cells(like)


def _best_words(best: dict[str, str], likenesses: dict[tuple[str, str], Results]) -> str:
    one, other = (
        f"*{READINGS[best[measure]]}* (typical factor {factor_text(like['factor'])}, worst "
        f"{factor_text(like['worst'])}, likely in {like['covered']} of {like['cells']} sizes)"
        for measure in OUR_NAMES
        for like in [likenesses[measure, best[measure]]]
    )
    together = (
        "One reading is the closest to both columns."
        if len(set(best.values())) == 1
        else "No reading is the closest to both columns."
    )
    return (
        f"{together} The paper's EM errors may be those of {one}, and its EM divergences may be "
        f"those of {other}. Both are guesses from printed figures. The relative errors say less "
        "than the divergences: they scatter widely among thirty tests, and if the numbers of "
        "records share their true q's in the paper too, they are six figures rather than eighteen."
    )


def _best_table(cells: Cells, best: dict[str, str]) -> str:
    rows = [
        [
            f"{records:,}",
            str(parents),
            f"{paper_error:.2f}",
            interval(error),
            f"{paper_kl:.2f}",
            interval(kl),
        ]
        for (records, parents), paper_error, error, paper_kl, kl in zip(
            cells.stored,
            cells.printed(RELATIVE, "em"),
            cells.measure(f"relative/{best[RELATIVE]}"),
            cells.printed(DIVERGENCE, "em"),
            cells.measure(f"kl_finite/{best[DIVERGENCE]}"),
            strict=True,
        )
    ]
    headings = (
        *("N", "parents", "paper's EM, relative error", READINGS[best[RELATIVE]]),
        *("paper's EM, KL", READINGS[best[DIVERGENCE]]),
    )
    return table(headings, rows)
