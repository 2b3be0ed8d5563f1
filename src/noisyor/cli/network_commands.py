"""Commands about networks in files: convert, compare, show."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noisyor.cli.model_options import ModelOptions
from noisyor.cli.network_summary import (
    comparison_summary,
    explanation_summary,
    network_summary,
    print_comparison,
    print_network,
    print_networks,
    print_node,
)
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import ForgivingOption, JsonOption, ModelArgument, ToOption
from noisyor.cli.output_file import written_alone
from noisyor.cli.table_options import DropOption, FileOptions
from noisyor.cli.terminal import note, print_document, print_json
from noisyor.core import BIC, Dataset, Network, NetworkSet, Prior, SettingsError
from noisyor.core.relation_looks import look_of
from noisyor.core.relations import all_relations
from noisyor.core.score import score_named
from noisyor.data.wishes import Wishes
from noisyor.formats.network_set_json import network_set_json
from noisyor.interop.network_files import (
    WRITABLE,
    format_of,
    read_network,
    write_network,
)
from noisyor.networks import Weights, binarize_network
from noisyor.networks import compare as compare_structures

if TYPE_CHECKING:
    from noisyor.networks.explanation import Explanation

GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="NAME=STATE,...",
        help="Make the network binary: the states of a variable that become present, its others "
        "become absent. Needed for each variable of more than two states; may be repeated.",
    ),
]
WeightsOption = Annotated[
    Weights,
    typer.Option(
        "--weights",
        help="How --group averages the rows of a table: by the joint probabilities of the parents, "
        "as if they were independent, or by taking the row of each group's first state.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        "show",
        epilog="Examples:\n\nnoisyor show clinic.json\n\n"
        "noisyor show clinic.json --node fever --data clinic.csv",
    )(show)
    app.command(
        "convert",
        epilog="Examples:\n\nnoisyor convert clinic.json clinic.xdsl\n\n"
        "noisyor convert alarm.bif alarm.txt --to modelstring\n\n"
        "noisyor convert survey.bif binary.bif --group age=adult,old --group size=big\n\nFormats: "
        + "; ".join(f"{one.name} ({one.title})" for one in WRITABLE),
    )(convert)
    app.command(
        "compare",
        epilog="Examples:\n\nnoisyor compare truth.bif learned.json\n\n"
        "noisyor compare truth.bif learned.json --json",
    )(compare)


@grouped
def show(
    model: ModelArgument,
    *,
    node: Annotated[
        str | None, typer.Option("--node", metavar="NAME", help="One variable in detail.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="DATA",
            help="The records it was fitted to, for intervals of the causes' strengths and why the "
            "relation was preferred to a full table.",
        ),
    ] = None,
    drop: DropOption = None,
    table: FileOptions,
    stored: ModelOptions,
    as_json: JsonOption = False,
) -> None:
    """Show a network: its variables, relations and parents, or one variable in detail."""
    _check_data_options(node, data, table, drop)
    found = stored.model(model)
    if isinstance(found, NetworkSet):
        if node is not None:
            raise SettingsError(f"{model} holds a credible set; --node needs a single network")
        if as_json:
            print_document(network_set_json(found))
        else:
            print_networks(found)
        return
    explanation = None
    if data is not None and node is not None:
        from noisyor.expert_fit import records_for  # noqa: PLC0415  (slow, seldom used)

        options = table.reading(Wishes(drop=tuple(drop or ())))
        explanation = _explained(found, node, records_for(found, data, options))
    if as_json:
        said = network_summary(found)
        if explanation is not None:
            said["explanation"] = explanation_summary(explanation)
        print_json(said)
    elif node is None:
        print_network(found)
    else:
        print_node(found, node, explanation)


def _check_data_options(
    node: str | None, data: str | None, table: FileOptions, drop: Sequence[str] | None
) -> None:
    if data is not None and node is None:
        raise SettingsError("--data explains one variable; name it with --node")
    if data is None and (drop or table != FileOptions()):
        raise SettingsError("--drop, --bins and how a table is read are for the records of --data")


def _explained(network: Network, node: str, records: Dataset) -> "Explanation | None":
    """Return the explanation of a node's causes by the records; None if it has none."""
    family = network.structure.families[network.index(node)]
    if network.provenance.data and network.provenance.data != records.fingerprint():
        note("warning: the network was made from other records than these")
    if family.relation.causes is None:
        kind = look_of(family.relation).label
        note(f"{node!r} is a {kind}: there are no strengths to explain")
        return None
    score = score_named(network.provenance.setting("score") or BIC)
    prior = Prior.parse(network.provenance.setting("structure_prior") or "none")
    competed = (network.provenance.setting("relations") or "").split(",")
    relations = [relation for relation in all_relations() if relation.name in competed]
    from noisyor.networks.explanation import explain  # noqa: PLC0415  (fits, and loads slowly)

    return explain(records, family, score=score, structure_prior=prior, relations=relations)


@grouped
def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="A file of a network, in any format that noisyor reads."),
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The file to write; its suffix gives the format."),
    ],
    *,
    to: ToOption = None,
    group: GroupOption = None,
    weights: WeightsOption = Weights.JOINT,
    stored: ModelOptions,
) -> None:
    """Write a network in another format; warnings name the relations that it cannot keep."""
    chosen = format_of(target, to)
    if weights is not Weights.JOINT and not group:
        raise SettingsError("--weights is for the rows that --group merges; give both")
    with written_alone(target):
        network = stored.network(source)
        if group:
            network = binarize_network(network, groups(group), weights=weights)
        write_network(network, target, format=chosen.name)
    note(f"wrote {target} ({chosen.title})")


def groups(given: Iterable[str]) -> dict[str, list[str]]:
    """Return the states that become present from texts like `age=adult,old`.

    A state with a comma is enclosed in double quotes.
    """
    found: dict[str, list[str]] = {}
    for text in given:
        name, sign, listed = text.partition("=")
        states = next(csv.reader([listed], skipinitialspace=True), [])
        if not (sign and name and states):
            raise SettingsError(f"--group is {text!r}; it must look like NAME=STATE,...")
        if found.setdefault(name, states) != states:
            raise SettingsError(f"--group is given twice for {name!r}, with different states")
    return found


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A network, such as the truth.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="A network over the same variables.")],
    *,
    forgiving: ForgivingOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how network B differs from network A: edges added, missing, reversed; relations."""
    one, other = (read_network(path, forgiving=forgiving) for path in (first, second))
    found = compare_structures(one.structure, other.structure)
    if as_json:
        print_json(comparison_summary(found))
    else:
        print_comparison(found)
