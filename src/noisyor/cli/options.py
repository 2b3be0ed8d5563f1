"""Options that several commands share, each declared once."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from noisyor.cli.terminal import note
from noisyor.core import Dataset, Knowledge, Network, Relation, SettingsError
from noisyor.core.credible_set import Labels
from noisyor.core.listing import listed
from noisyor.core.relations import relations_from, root_relation
from noisyor.core.score import ALLOWED
from noisyor.data.bin_choices import DEFAULT_BINS, BinChoices
from noisyor.data.binned_tables import asked_bins
from noisyor.data.binning import Binning
from noisyor.data.choosing_bins import MANY_VALUES
from noisyor.data.delimited import TextOptions
from noisyor.data.local_files import FORMAT_NAMES
from noisyor.data.missing import MissingPolicy
from noisyor.data.reading import ReadOptions, read_with_bins
from noisyor.data.wishes import Wishes
from noisyor.formats.knowledge_files import read_knowledge
from noisyor.runs.learned import Method
from noisyor.search import BoundKind

_TABLE = "The table"
_COLUMN_VALUE = "COLUMN=VALUE"
_ARROW = "->"
_EDGE = f"A{_ARROW}B"
_GIBIBYTE = 2**30
_MOST_GIBIBYTES = 2**20

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table of records: CSV, TSV, Parquet, Arrow, ARFF or GOBNILP .dat, "
        "also as .gz; - reads standard input.",
    ),
]
PresentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--present",
        metavar=_COLUMN_VALUE,
        help="Which value of a two-valued column means present; '*=yes' of every one that has it. "
        "May be repeated.",
        rich_help_panel=_TABLE,
    ),
]
OrderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--order",
        metavar="COLUMN=STATE,...",
        help="All states of a column in their order, such as pain=none,mild,severe, or a network "
        "file, which gives those of its variables; may be repeated.",
        rich_help_panel=_TABLE,
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMN",
        help="A column to leave out; may be repeated.",
        rich_help_panel=_TABLE,
    ),
]
KeepConstantsOption = Annotated[
    bool,
    typer.Option(
        "--keep-constants",
        help="Keep columns that never change. Default: left out, unless background knowledge names "
        "them.",
        rich_help_panel=_TABLE,
    ),
]
MissingOption = Annotated[
    MissingPolicy,
    typer.Option(
        "--missing",
        help="Records that lack a value: an error, left out, with absence as a state of its own, "
        "or learned from by structural EM.",
        rich_help_panel=_TABLE,
    ),
]
BinsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--bins",
        metavar="HOW",
        help=f"Bins for numbers with more than {MANY_VALUES} values: N or quantiles:N (equal "
        "counts), width:N (equal width), mdl:TARGET (whatever predicts a column), none, or a "
        "bins.json of earlier data. For one column: COLUMN=CUT,CUT,... or COLUMN=width:N. May be "
        f"repeated. Default: quantiles:{DEFAULT_BINS}.",
        rich_help_panel=_TABLE,
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="What separates the columns of a text file ('tab' for a tab). Default: detected.",
        rich_help_panel=_TABLE,
    ),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line holds the names. Default: detected.",
        show_default=False,
        rich_help_panel=_TABLE,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help=f"The format of the file, if its suffix does not give it: {', '.join(FORMAT_NAMES)}.",
        rich_help_panel=_TABLE,
    ),
]
ModelArgument = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        help="A network: noisyor's .json (also of a credible set), .xdsl, .bif, .xmlbif, .net, "
        ".dne, .dsl, .uai or .jgum, also compressed (.gz).",
    ),
]
ModelPresentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--present",
        metavar="NAME=STATE",
        help="Which state of a variable means present, if its labels do not show it; may be "
        "repeated.",
    ),
]
ForgivingOption = Annotated[
    bool,
    typer.Option(
        "--forgiving",
        help="Read, with a warning, a file with rows that sum to 1 only within 0.01 or to 0, a "
        ".bif file with a missing or repeated row, a .dne file with a node without a table, and "
        "text that is not UTF-8 although it should be.",
    ),
]
OutputOption = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write the result."),
]
MaxParentsOption = Annotated[
    int | None,
    typer.Option(
        "--max-parents", metavar="K", help="The most parents of a node. Default: no limit."
    ),
]
BayesFactorOption = Annotated[
    float,
    typer.Option(
        "--bayes-factor",
        metavar="FACTOR",
        help="How many times less likely than the best network a credible one may be.",
    ),
]
TemperatureOption = Annotated[
    float,
    typer.Option(
        "--temperature",
        metavar="T",
        help="Divide differences of costs by T, for weights and for the Bayes factor; 'noisyor "
        "calibrate' finds one.",
    ),
]
BootstrapOption = Annotated[
    int | None,
    typer.Option(
        "--bootstrap",
        metavar="B",
        help="Learn from B resampled tables as well, and say how often the best network of one has "
        "each edge.",
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="SEED", help="The seed of resampled tables.")
]
ScoreOption = Annotated[
    str,
    typer.Option("--score", metavar="NAME", help=f"How networks are compared: {ALLOWED}."),
]
RelationsOption = Annotated[
    str | None,
    typer.Option(
        "--relations",
        metavar="NAMES",
        help="The relations that compete, separated by commas: cpt, noisy-or, noisy-and, leaky-, "
        "signed-; or a group: default (cpt, leaky-noisy-or), paper (cpt, noisy-or), all.",
    ),
]
PaperOption = Annotated[
    bool, typer.Option("--paper", help="The paper's relations: the same as --relations paper.")
]
BoundsOption = Annotated[
    BoundKind,
    typer.Option(
        "--bounds", help="Whether a linear program guides the search; the result is the same."
    ),
]
LabelsOption = Annotated[
    Labels,
    typer.Option(
        "--labels",
        help="Count each graph once, with the best relation at each node, or with every choice of "
        "relations.",
    ),
]
SearchTimeOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Stop after this time; the result says what it leaves open.",
    ),
]
MemoryLimitOption = Annotated[
    float | None,
    typer.Option(
        "--memory-limit",
        metavar="GIB",
        help="Memory that the search may use; the result says what it leaves open.",
    ),
]
MembersOption = Annotated[
    Path | None,
    typer.Option("--members", metavar="FILE", help="Write the networks to a .parquet file."),
]
MaxNetworksOption = Annotated[
    int,
    typer.Option("--max-networks", metavar="K", help="The most networks to write to the file."),
]
ForbidOption = Annotated[
    list[str] | None,
    typer.Option("--forbid", metavar=_EDGE, help="A forbidden edge; may be repeated."),
]
RequireOption = Annotated[
    list[str] | None,
    typer.Option("--require", metavar=_EDGE, help="A required edge; may be repeated."),
]
MethodOption = Annotated[
    Method,
    typer.Option(
        "--method",
        help="Score all families first, or only what the search asks for; the result is the same.",
    ),
]
KnowledgeOption = Annotated[
    Path | None,
    typer.Option(
        "--knowledge",
        metavar="FILE",
        help="Background knowledge: required, forbidden, tiers, roots, sinks and max_parents, in a "
        ".toml or .yaml file. --require, --forbid and --max-parents add to it.",
    ),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Threads to use. Default: all cores.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def pairs(given: Iterable[str] | None, option: str) -> list[tuple[str, str]]:
    """Return the (column, value) pairs of a repeated COLUMN=VALUE option."""
    result = []
    for text in given or ():
        # The last = separates: columns that binarize made have one in their names.
        column, sign, value = text.rpartition("=")
        if not (sign and column and value):
            raise SettingsError(f"{option} is {text!r}; it must look like {_COLUMN_VALUE}")
        result.append((column, value))
    return result


def unique_pairs(given: Iterable[str] | None, option: str) -> dict[str, str]:
    """Return one value per column; refuse a column with two."""
    result: dict[str, str] = {}
    for column, value in pairs(given, option):
        if result.setdefault(column, value) != value:
            raise SettingsError(
                f"{option} is given twice for {column!r}: {result[column]!r} and {value!r}"
            )
    return result


def orders(
    given: Iterable[str] | None,
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the states of a repeated --order option: those of columns, and those of network files.

    An option is COLUMN=STATE,... or the file of a network. A state with a comma is enclosed in
    double quotes. The first = separates: labels of bins, such as `<= 5`, have one.
    """
    result: dict[str, tuple[str, ...]] = {}
    of_networks: dict[str, tuple[str, ...]] = {}
    for text in given or ():
        column, sign, listed = text.partition("=")
        if not sign and Path(text).is_file():
            of_networks |= {one.name: one.states for one in _network_in(text).variables}
            continue
        states = tuple(next(csv.reader([listed], skipinitialspace=True), ()))
        if not (sign and column and len(states) > 1):
            raise SettingsError(
                f"--order is {text!r}; it must look like COLUMN=STATE,STATE with all states in "
                "their order, or name the file of a network"
            )
        if result.setdefault(column, states) != states:
            raise SettingsError(f"--order is given twice for {column!r}, with different states")
    return result, of_networks


def _network_in(path: str) -> Network:
    from noisyor.interop.network_files import read_network  # noqa: PLC0415  (slow, seldom used)

    return read_network(Path(path))


def read_table(  # noqa: PLR0917  (the options above, in their order)
    data: str,
    present: Iterable[str] | None,
    order: Iterable[str] | None,
    drop: Iterable[str] | None,
    missing: MissingPolicy,
    bins: Sequence[str] | None,
    delimiter: str | None,
    header: bool | None,
    file_format: str | None,
) -> tuple[Dataset, Binning]:
    """Return the table that the options describe, and the bins of its numbers."""
    options = read_options(present, order, drop, missing, bins, delimiter, header, file_format)
    dataset, binning = read_with_bins(data, options)
    if isinstance(options.bins, BinChoices) and not options.bins.automatic:
        note(binning.summary())
    return dataset, binning


def read_options(  # noqa: PLR0917  (the options above, in their order)
    present: Iterable[str] | None,
    order: Iterable[str] | None,
    drop: Iterable[str] | None,
    missing: MissingPolicy,
    bins: Sequence[str] | None,
    delimiter: str | None,
    header: bool | None,
    file_format: str | None,
) -> ReadOptions:
    """Return how a table is read."""
    ordered, of_networks = orders(order)
    return ReadOptions(
        wishes=Wishes(
            unique_pairs(present, "--present"), ordered, tuple(drop or ()), states=of_networks
        ),
        missing=missing,
        bins=asked_bins(bins or None),
        text=TextOptions(delimiter_character(delimiter), header),
        format=file_format,
    )


def options_for_network(
    missing: MissingPolicy,
    bins: Sequence[str] | None,
    delimiter: str | None,
    header: bool | None,
    file_format: str | None,
) -> ReadOptions:
    """Return how a table is read whose variables and states are those of a network."""
    return ReadOptions(
        missing=missing,
        bins=asked_bins(bins or None),
        text=TextOptions(delimiter_character(delimiter), header),
        format=file_format,
    )


def delimiter_character(given: str | None) -> str | None:
    r"""Return the delimiter as a character: 'tab' and '\t' spell one that is hard to type."""
    return "\t" if given in {"tab", r"\t"} else given


def relations_named(names: str | None, *, paper: bool) -> tuple[Relation, ...] | None:
    """Return the relations that --relations or --paper ask for; None if neither does."""
    if paper and names is not None:
        raise SettingsError("--paper and --relations both choose the relations; give one of them")
    if names is None:
        return relations_from("paper") if paper else None
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    if not chosen:
        raise SettingsError(f"--relations is empty; it must name at least {root_relation()}")
    return relations_from(chosen)


def edges(given: Iterable[str] | None, names: Sequence[str], option: str) -> list[tuple[str, str]]:
    """Return the (parent, child) pairs of a repeated A->B option; a name may have an arrow."""
    return [_edge(text, names, option) for text in given or ()]


def _edge(text: str, names: Sequence[str], option: str) -> tuple[str, str]:
    parts = text.split(_ARROW)
    splits = [
        (_ARROW.join(parts[:place]).strip(), _ARROW.join(parts[place:]).strip())
        for place in range(1, len(parts))
    ]
    found = [(parent, child) for parent, child in splits if parent in names and child in names]
    if len(found) != 1:
        raise SettingsError(
            f"{option} is {text!r}; it must look like {_EDGE}, with variables of the table: "
            f"{listed(names)}"
        )
    return found[0]


def knowledge_of(
    path: Path | None,
    require: Iterable[str] | None,
    forbid: Iterable[str] | None,
    max_parents: int | None,
    names: Sequence[str],
) -> Knowledge:
    """Return the knowledge of --knowledge, --require, --forbid and --max-parents together."""
    known = Knowledge() if path is None else read_knowledge(path)
    if None not in {max_parents, known.max_parents} and max_parents != known.max_parents:
        raise SettingsError(
            f"--max-parents is {max_parents}, but {path} has max_parents {known.max_parents}; give "
            "it in one place only"
        )
    return replace(
        known,
        required=(*known.required, *edges(require, names, "--require")),
        forbidden=(*known.forbidden, *edges(forbid, names, "--forbid")),
        max_parents=known.max_parents if max_parents is None else max_parents,
    )


def memory_bytes(gibibytes: float | None) -> int | None:
    """Return the bytes that --memory-limit allows."""
    if gibibytes is None:
        return None
    if not 0 < gibibytes < _MOST_GIBIBYTES:
        raise SettingsError(
            f"--memory-limit is {gibibytes:g} GiB; it must be above 0 and below {_MOST_GIBIBYTES}"
        )
    return int(gibibytes * _GIBIBYTE)
