"""The command that learns networks from a table of records."""

import time
from contextlib import ExitStack
from math import inf
from pathlib import Path
from typing import Annotated, cast

import typer

from noisyor.cli.binning_file import bins_beside, write_bins
from noisyor.cli.cluster_option import ClusterOption, working_where_asked
from noisyor.cli.credible_output import (
    MembersOptions,
    say_limits,
    say_resampling,
)
from noisyor.cli.em_options import EmOptions, missing_line
from noisyor.cli.expected_memory import say_learning_memory
from noisyor.cli.going_on import say_how_to_go_on, saying_how_to_go_on
from noisyor.cli.learning_options import (
    BootstrapOption,
    BoundsOption,
    ComparisonOptions,
    KnowledgeOptions,
    LabelsOption,
    MethodOption,
    TemperatureOption,
)
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import (
    JobsOption,
    JsonOption,
    MemoryLimitOption,
    QuietOption,
    SeedOption,
    memory_bytes,
)
from noisyor.cli.output_file import refuse_overwriting
from noisyor.cli.prior_options import PriorOptions
from noisyor.cli.search_summary import print_summary
from noisyor.cli.table_options import DataArgument, LearningTableOptions
from noisyor.cli.terminal import note, print_json, results
from noisyor.core import BIC, BayesFactor, Dataset
from noisyor.core.credible_set import Labels
from noisyor.core.left_out_columns import left_out_lines
from noisyor.core.request import Request
from noisyor.core.visible import visible
from noisyor.incomplete.learning import first_completion, learn_incomplete
from noisyor.incomplete.policies import missing_record, only_complete, records_to_learn
from noisyor.interop.network_files import check_network_file, write_network
from noisyor.pipeline import learn_request
from noisyor.resampling.bootstrap import BootstrapStep, with_bootstrap
from noisyor.runs.learned import Method
from noisyor.runs.plan import MANY_VARIABLES, Plan
from noisyor.runs.preflight import PATIENCE
from noisyor.runs.progress import shown_progress
from noisyor.search import BoundKind


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "learn",
        epilog="Examples:\n\nnoisyor learn clinic.csv\n\n"
        "noisyor learn clinic.csv -o clinic\n\n"
        "noisyor learn clinic.csv --bayes-factor 3 --members clinic-members.parquet\n\n"
        "noisyor learn clinic.csv --forbid 'cough->flu' --time-limit 60 --json\n\n"
        "noisyor learn clinic.csv -o clinic --knowledge clinic.toml\n\n"
        "noisyor learn clinic.csv -o clinic --bootstrap 200\n\n"
        "noisyor learn survey.csv -o survey --missing em",
    )(learn_command)


LearningTimeOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Stop after this time; the result says what it leaves open. Default: none, but "
        f"{PATIENCE:g} where the run is not expected to end; inf is none.",
    ),
]
BestOption = Annotated[
    Path | None,
    typer.Option(
        "--best",
        metavar="FILE",
        help="Write the best network with its parameters, as .json, .xdsl, .bif, ...",
    ),
]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Write everything to this folder: summary, scores, networks, report. After a kill, "
        "the same command resumes.",
    ),
]


@grouped
def learn_command(
    data: DataArgument,
    *,
    compared: ComparisonOptions,
    temperature: TemperatureOption = 1.0,
    background: KnowledgeOptions,
    beliefs: PriorOptions,
    method: MethodOption = Method.AUTO,
    bounds: BoundsOption = BoundKind.AUTO,
    labels: LabelsOption = Labels.BEST,
    bootstrap: BootstrapOption = None,
    seed: SeedOption = 0,
    time_limit: LearningTimeOption = None,
    memory_limit: MemoryLimitOption = None,
    output: FolderOption = None,
    best: BestOption = None,
    kept: MembersOptions,
    cluster: ClusterOption = None,
    jobs: JobsOption = None,
    reading: LearningTableOptions,
    filling: EmOptions,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the best network for a table of records, with a proof, and every credible one.

    Hitting a limit is not an error: the result says what it leaves open.
    """
    inputs = (data, background.knowledge, beliefs.prior)
    refuse_overwriting((*inputs, *(reading.bins or ())), best, kept.members)
    kept.check()
    if best is not None:
        check_network_file(best)
        refuse_overwriting(inputs, bins_beside(best))
    factor = BayesFactor(compared.bayes_factor, temperature)
    score, relations = compared.chosen_score(), compared.chosen_relations()
    prior, stated = beliefs.stated(), background.stated()
    began = time.monotonic()
    with ExitStack() as stack:
        show = None if quiet else stack.enter_context(shown_progress(f"reading {data}"))
        em = filling.em(reading.missing)
        read, binning = reading.read_any(data)
        known = stated.among(read.names)
        table = records_to_learn(
            read, reading.missing, known, prior, keep_constants=reading.keep_constants
        )
        dataset = table if isinstance(table, Dataset) else first_completion(table, em)
        request = Request.of(
            dataset,
            factor,
            score=score,
            relations=relations,
            constraints=known,
            prior=prior,
            jobs=jobs,
            time_limit=None if time_limit == inf else time_limit,
            memory_limit=memory_bytes(memory_limit),
        )
        plan = Plan(
            method=_method_on(cluster, method, dataset.variable_count),
            labels=labels,
            bounds=bounds,
            folder=output,
            max_networks=kept.max_networks,
            progress=show,
            quiet=quiet,
            began=began,
            expecting=None if quiet else say_learning_memory,
            binning=binning,
            missing=missing_record(table, reading.missing),
            columns_left_out=table.columns_left_out,
            patience=PATIENCE if time_limit is None else None,
        )
        if bootstrap is not None:
            only_complete(table, "--bootstrap")
            plan = with_bootstrap(request, plan, BootstrapStep(bootstrap, seed))
        with working_where_asked(cluster, jobs), saying_how_to_go_on(output):
            learned = (
                learn_request(request, plan)
                if isinstance(table, Dataset)
                else learn_incomplete(table, request, plan, em)
            )
    say_limits(learned.credible, said=left_out_lines(learned.columns_left_out))
    say_resampling(learned.bootstrap, kept=output is not None)
    if not learned.complete:
        say_how_to_go_on(output, interrupted=learned.interrupted)
    written = kept.write(learned.credible)
    if best is not None:
        write_network(learned.best, best)
        note(f"wrote the best network to {best}")
        write_bins(binning, best)
    if output is not None:
        note(f"wrote {output}; the report is {output / 'report.html'}")
    if as_json:
        said = learned.summary() | {"members_written": written}
        print_json(said)
    else:
        seconds = cast("dict[str, float]", learned.summary()["seconds"])
        results().print(
            f"{dataset.record_count} records, learned by {learned.method}{_compared_by(request)}"
        )
        for line in left_out_lines(learned.columns_left_out):
            results().print(line)
        if dataset.without_order() and any(
            relation.causes is not None for relation in request.relations
        ):
            results().print(
                "full tables only, because their states have no order (see --order): "
                + ", ".join(map(visible, dataset.without_order()))
            )
        if learned.missing is not None:
            results().print(missing_line(learned.missing))
        print_summary(learned.credible, seconds["total"], dataset.variables, learned.bootstrap)


def _compared_by(request: Request) -> str:
    """Return the score and the prior, if they are not the usual ones."""
    score = "" if request.score is BIC else f", score {request.score}"
    return score + ("" if request.prior.is_none else f", prior: {request.prior.words()}")


def _method_on(cluster: str | None, method: Method, variables: int) -> Method:
    """Return the method to use: a cluster scores tables, and climbs where no table would end."""
    by_table = cluster is not None and method is Method.AUTO and variables <= MANY_VARIABLES
    return Method.TABLE if by_table else method
