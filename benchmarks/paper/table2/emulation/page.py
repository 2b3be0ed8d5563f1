"""Why the paper's table 2 has fewer noisy-ORs: the paper, an emulation of its code, the truth."""

from collections.abc import Iterable, Mapping

from benchmarks.harness.markdown import listed, table
from benchmarks.harness.measuring import Results
from benchmarks.paper.table2.emulation.departures import NONE, TOGETHER, Departure
from benchmarks.paper.table2.emulation.plan import DATASETS, TAKEN_APART, Case
from benchmarks.paper.table2.emulation.running import TableOrder
from benchmarks.paper.table2.statistics import Row, Shares
from noisyor.core.tolerance import is_tie

WORDS = {
    Departure.DOUBLING: "2^k parameters",
    Departure.DESCENT: "descent",
    Departure.STRICT: "merge without the slack",
    Departure.SKIPPING: "skipping merge",
    Departure.SEVERAL: "no single parents",
}
INTRODUCTION = """\
### Why the paper has fewer noisy-ORs

The data are not the reason: the sixteen files are, byte for byte, those of the repository that the
paper names (CharupriyaSharma/eBNSLNoisyOR), and so are the networks of table 3. For adult and
hepatitis, the paper's table has the number of records of the raw UCI data, incomplete ones
included, which the files leave out; for bands it has 37 columns, the file 39.

The code in that repository departs from the method of the paper in these places:

- **2^k parameters**: while candidate sets are scored, k parents are charged as 2^k parameters, and
  sets are pruned by that cost. Only the merge replaces the charge by k.
- **descent**: it minimises a divergence in which every observed configuration of the parents counts
  one, however many records have it. A new parent starts at q = 0, and a step is taken only if
  all q stay within [0, 1]. So one q at 0 that should stay there freezes all the others. The
  logarithm of 0 counts as -10,000, which a record that the noisy-OR rules out then costs.
- **merge without the slack**: a noisy-OR goes if a full table over some of its parents is as cheap,
  though it may belong to credible networks unless it is costlier by more than the slack.
- **skipping merge**: entries are removed from a list while it is walked, so the entry after each
  removed one is passed over and stays.
- **no single parents**: the merge leaves out noisy-ORs of a single parent.

`benchmarks/paper/table2/emulation` is a small program of our own with the same departures, written
from reading that code; each can be turned on and off. `emulation` has all of them,
`exact` none."""


def emulation_section(rows: list[Row], emulated: Mapping[str, Results]) -> str:
    """Return what the departures explain, and what remains supposed; nothing without results."""
    shown = [row for row in rows if _result(emulated, row.name, TOGETHER) is not None]
    if not shown:
        return ""
    parts = [
        INTRODUCTION,
        _three_columns(shown, emulated),
        _shown(shown, emulated),
        _apart(emulated),
        _supposed(emulated, [row.name for row in rows if row not in shown]),
    ]
    return "\n\n".join(part for part in parts if part)


def _result(
    emulated: Mapping[str, Results],
    name: str,
    departures: Departure,
    order: TableOrder = TableOrder.COST,
) -> Results | None:
    """Return a complete result."""
    found = emulated.get(Case(name, departures, order).key)
    return found if found is not None and found["complete"] else None


def _shares(result: Results) -> Shares:
    return Shares(result["nodes"], result["average_percent"], result["maximum_percent"])


def _three_columns(rows: list[Row], emulated: Mapping[str, Results]) -> str:
    headings = ["data"]
    for what in ("nodes", "average, %", "maximum, %"):
        headings += [f"{what}: paper", "emulation", "exact"]
    lines = []
    for row in rows:
        result = _result(emulated, row.name, TOGETHER)
        columns = [row.published.shares, None if result is None else _shares(result), row.shares()]
        texts = [_share_texts(one) for one in columns]
        lines.append([row.name, *(text[part] for part in range(3) for text in texts)])
    return table(headings, lines)


def _share_texts(shares: Shares | None) -> tuple[str, str, str]:
    if shares is None:
        return "-", "-", "-"
    return str(shares.nodes), f"{shares.average:.1f}", f"{shares.maximum:.1f}"


def _shown(rows: list[Row], emulated: Mapping[str, Results]) -> str:
    """Return how close the emulation comes to the paper, and the exact result."""
    compared = [
        (paper, _shares(result), exact)
        for row in rows
        if (result := _result(emulated, row.name, TOGETHER)) is not None
        and (paper := row.published.shares) is not None
        and (exact := row.shares()) is not None
    ]
    apart = [abs(ours.nodes - paper.nodes) for paper, ours, _ in compared]
    exact_apart = sum(abs(exact.nodes - paper.nodes) for paper, _, exact in compared)
    averages = [
        (abs(ours.average - paper.average), abs(exact.average - paper.average))
        for paper, ours, exact in compared
        if paper.nodes
    ]
    near, far = (sum(some) / len(some) for some in zip(*averages, strict=True))
    return (
        f"**Shown**: over these {len(apart)} data sets the emulation has the paper's number of "
        f"nodes in {apart.count(0)}, and differs by {max(apart)} at most and by {sum(apart)} in "
        f"total; the exact numbers differ by {exact_apart} in total. Where the paper has "
        f"noisy-ORs, the averages differ by {near:.1f} percentage points in the mean, the exact "
        f"ones by {far:.1f}. Nothing in the emulation was fitted to the paper's figures."
        f"{_checked(rows, emulated)}"
    )


def _checked(rows: list[Row], emulated: Mapping[str, Results]) -> str:
    """Return where the emulation without departures was found to be exact."""
    same = [
        row.name
        for row in rows
        if (plain := _result(emulated, row.name, NONE)) is not None
        and row.both is not None
        and plain["members"] == row.both["members"]
        and is_tie(plain["optimum"], row.both["optimum"])
    ]
    if not same:
        return ""
    return (
        " Without departures it has the optimum and the number of credible networks of the exact "
        f"search ({listed(same)})."
    )


def _apart(emulated: Mapping[str, Results]) -> str:
    """Return the effect of each departure: alone, and left out of all."""
    names = [name for name in TAKEN_APART if _result(emulated, name, NONE) is not None]
    if not names:
        return ""
    cases = {
        "none (exact)": NONE,
        **{f"{words} alone": one for one, words in WORDS.items()},
        **{f"all but: {words}": TOGETHER & ~one for one, words in WORDS.items()},
        "all (emulation)": TOGETHER,
        "all, 2^k written as an exclusive or": TOGETHER | Departure.EXCLUSIVE,
    }
    rows = [
        [words, *(text for name in names for text in _case_texts(emulated, name, departures))]
        for words, departures in cases.items()
    ]
    headings = ["departures"]
    for name in names:
        headings += [f"{name}: nodes", "average, %", "optimum, nats"]
    return (
        "What each departure does, alone and left out. Alone, the descent refits the noisy-ORs "
        "that exact scoring keeps. Skipping alone cannot change anything: what it keeps is too "
        f"costly for every credible network.\n\n{table(headings, rows)}\n\n"
        f"{_alone_words(emulated, names)}"
    )


def _alone_words(emulated: Mapping[str, Results], names: Iterable[str]) -> str:
    """Return how little each departure explains alone."""
    fewest = {
        name: min(
            found["nodes"]
            for one in TOGETHER
            if (found := _result(emulated, name, one)) is not None
        )
        for name in names
        if any(_result(emulated, name, one) is not None for one in TOGETHER)
    }
    told = listed(f"{nodes} ({name})" for name, nodes in fewest.items())
    return (
        "No departure alone explains the paper's figures: the fewest nodes with a single one are "
        f"{told}."
    )


def _case_texts(emulated: Mapping[str, Results], name: str, departures: Departure) -> list[str]:
    found = _result(emulated, name, departures)
    if found is None:
        return ["-"] * 3
    return [str(found["nodes"]), f"{found['average_percent']:.1f}", f"{found['optimum']:.2f}"]


def _supposed(emulated: Mapping[str, Results], left_out: list[str]) -> str:
    """Return what the emulation takes for granted."""
    texts = [
        _exclusive_words(emulated),
        _order_words(emulated),
        "What makes the rest of the difference is not known.",
    ]
    if left_out:
        many = listed(left_out)
        texts.append(f"Not emulated, since the published scorer makes too many sets: {many}.")
    return "\n".join(
        ["**Supposed**, since the repository does not tell:", "", *(f"- {text}" for text in texts)]
    )


def _exclusive_words(emulated: Mapping[str, Results]) -> str:
    wrong = {
        name: found["nodes"]
        for name in TAKEN_APART
        if (found := _result(emulated, name, TOGETHER | Departure.EXCLUSIVE)) is not None
    }
    chosen = (
        f"noisy-ORs at {listed(wrong.values())} nodes" if any(wrong.values()) else "no noisy-OR"
    )
    told = (
        f"; as it stands, it selects {chosen} ({listed(wrong)}), so another version must have made "
        "the table"
        if wrong
        else ""
    )
    return (
        "Table 2 was made by this combination. The published merge of noisy-ORs writes 2^k where "
        f"it means 2\\*\\*k, which Python reads as an exclusive or{told}."
    )


def _order_words(emulated: Mapping[str, Results]) -> str:
    pairs = {
        name: (one["nodes"], other["nodes"])
        for name in DATASETS
        if (one := _result(emulated, name, TOGETHER)) is not None
        and (other := _result(emulated, name, TOGETHER, TableOrder.SIZE)) is not None
    }
    text = (
        "The merge takes full tables in the order of a file that is not in the repository. The "
        "emulation takes the cheapest first."
    )
    if not pairs:
        return text
    changed = [f"{two} ({name})" for name, (one, two) in pairs.items() if one != two]
    return (
        f"{text} With the fewest parents first, the number of nodes is the same in "
        f"{len(pairs) - len(changed)} of {len(pairs)} data sets"
        f"{f', and otherwise {listed(changed)}' if changed else ''}."
    )
