"""`learn`: whatever `read` takes in, every credible network out, in one call.

It stands above the parts that its options hand over to; `pipeline` carries out the request.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from math import inf
from pathlib import Path

from noisyor.core import (
    BIC,
    BayesFactor,
    Constraints,
    Dataset,
    Knowledge,
    Network,
    Prior,
    Score,
    SettingsError,
)
from noisyor.core.arguments import checked_arguments
from noisyor.core.credible_set import Labels
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.progress import Progress
from noisyor.core.relations import RelationChoice
from noisyor.core.request import DEFAULT_BAYES_FACTOR, Request
from noisyor.data.binned_tables import BinsOption, asked_bins
from noisyor.data.binning import Binning
from noisyor.data.missing import ALL_CHOICES, MissingPolicy
from noisyor.data.reading import ReadOptions, read_by_policy
from noisyor.data.wishes import Wishes
from noisyor.formats.prior_files import prior_from
from noisyor.incomplete.learning import first_completion, learn_incomplete
from noisyor.incomplete.options import Em
from noisyor.incomplete.policies import missing_record, only_complete, records_to_learn
from noisyor.pipeline import learn_request
from noisyor.resampling.bootstrap import BootstrapStep, with_bootstrap
from noisyor.runs.folder import MOST_MEMBERS
from noisyor.runs.learned import Learned, Method
from noisyor.runs.plan import Plan
from noisyor.runs.preflight import PATIENCE
from noisyor.runs.progress import shown_progress
from noisyor.search import BoundKind


@checked_arguments
def learn(  # noqa: PLR0913  (each option is one that a user names)
    data: object,
    bayes_factor: float | BayesFactor = DEFAULT_BAYES_FACTOR,
    *,
    temperature: float | None = None,
    score: str | Score = BIC,
    relations: RelationChoice | None = None,
    constraints: Constraints | Knowledge | None = None,
    prior: Prior | str | Path | None = None,
    present: Mapping[str, str] | None = None,
    order: Mapping[str, Sequence[str]] | Network | None = None,
    drop: Sequence[str] | None = None,
    bins: BinsOption = None,
    missing: MissingPolicy | str = MissingPolicy.ERROR,
    em: Em | None = None,
    keep_constants: bool = False,
    bootstrap: int | None = None,
    seed: int = 0,
    method: str | Method = Method.AUTO,
    labels: str | Labels = Labels.BEST,
    bounds: str | BoundKind = BoundKind.AUTO,
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    folder: str | Path | None = None,
    max_networks: int = MOST_MEMBERS,
    progress: Callable[[Progress], None] | None = None,
    quiet: bool = False,
) -> Learned:
    """Find the best network and all networks within a Bayes factor of it.

    Parameters
    ----------
    data
        A `Dataset`, or whatever `noisyor.read` takes.
    bayes_factor
        A network is credible if the best one is at most this many times as likely.
    temperature
        What differences of costs are divided by, for weights and for the Bayes factor: above 1,
        the records count for less (see `BayesFactor`). `calibrate` finds a good one; by default 1.
    score
        How networks are compared: `"bic"`, `"aic"`, `"ebic"`, for full tables alone `"bdeu"`,
        `"bds"`, `"k2"` and `"qnml"`, one with a number such as `"ebic(0.5)"` or `"bdeu(10)"`, or
        a `Score`.
    relations
        The relations that compete at each node: names, values, or a group: `default` (full
        tables and leaky noisy-ORs), `paper` (full tables and noisy-ORs) or `all`. By default
        `default`, or full tables alone if the score is defined for no others.
    constraints
        Certain knowledge about the network.
    prior
        How likely arcs and relations are beforehand: a `Prior`, or a file of arcs' probabilities
        or of an earlier run's arc strengths (see `read_prior`).
    present, order, drop
        Which values mean present, the states of columns in their order, and columns to leave out
        (see `read`); not for a `Dataset`.
    bins
        How columns of many numbers become a few states (see `read`); not for a `Dataset`. The
        `binning` of the result reads new data the same way.
    missing
        What to do about missing cells: `"error"` refuses them, `"drop"` leaves out records that
        lack a value, `"state"` makes absence a state (see `read`), and `"em"` learns from all
        records by structural EM; the result is then labelled as approximate.
    em
        The options of structural EM: completions, starts, seed, steps (see `Em`).
    keep_constants
        Whether columns that never change are learned from, too. By default, they are left out,
        with a warning, unless the constraints or the prior name them: they say nothing about
        other columns. `columns_left_out` of the result has them.
    bootstrap
        The number of resampled tables to learn from as well, for the arc strengths in `bootstrap`
        of the result (see `Bootstrap`). A time limit, or Ctrl-C, ends the resamples early; the
        result says how many were done. In a folder, finished resamples are kept.
    seed
        The seed of the bootstrap. The result depends on it and on nothing else that is random.
    method
        How the networks are found (see `Method`). It affects only the time.
    labels
        Which networks count as different (see `Labels`).
    bounds
        The bounds of the search (see `BoundKind`). They affect only the time.
    jobs
        The number of threads; all cores by default.
    time_limit
        Seconds for reading, scoring, search and writing together. If it is hit, the result is the
        best network so far with a proven bound, and says so. By default there is none if the run is
        expected to end; where it is not, as with more than 48 variables, it gets 120 seconds, and
        the result says so. `math.inf` is no limit.
    memory_limit
        Bytes for the lattice of subsets; by default half of the machine's memory, at most 12 GiB.
    folder
        Where everything is written (see `noisyor.runs.folder`). A run that was killed resumes
        from its checkpoint if it is started again with the same data, settings and folder; a
        complete one is loaded. Some seconds of a time limit are reserved for writing: more with
        more variables, and a fifth of it at most. If that is not enough, everything is still
        written, except that only a few networks are. A folder that another run is using is refused.
    max_networks
        The most networks that are written to the folder.
    progress
        Called from time to time with the progress of the run. By default a line on the terminal
        shows it.
    quiet
        Whether to show nothing on the terminal.

    """
    started = time.monotonic()
    with ExitStack() as stack:
        if progress is None and not quiet:
            progress = stack.enter_context(shown_progress("reading the table"))
        policy = MissingPolicy.of(missing)
        if em is not None and policy is not MissingPolicy.EM:
            raise SettingsError(f'em has options of missing="em", but missing is "{policy.value}"')
        wishes = Wishes.of(present, order, drop)
        read, binning = _records_of(data, wishes, bins, policy)
        beliefs = prior_from(prior)
        table = records_to_learn(read, policy, constraints, beliefs, keep_constants=keep_constants)
        em = em or Em()
        records = table if isinstance(table, Dataset) else first_completion(table, em)
        request = Request.of(
            records,
            bayes_factor,
            temperature=temperature,
            score=score,
            relations=relations,
            constraints=constraints,
            prior=beliefs,
            jobs=jobs,
            time_limit=None if time_limit == inf else time_limit,
            memory_limit=memory_limit,
        )
        plan = Plan(
            method=Method.of(method),
            labels=Labels.of(labels),
            bounds=BoundKind.of(bounds),
            folder=None if folder is None else Path(folder),
            max_networks=max_networks,
            progress=progress,
            quiet=quiet,
            began=started,
            binning=binning,
            missing=missing_record(table, policy),
            columns_left_out=table.columns_left_out,
            patience=PATIENCE if time_limit is None else None,
        )
        if bootstrap is not None:
            only_complete(table, "a bootstrap")
            plan = with_bootstrap(request, plan, BootstrapStep(bootstrap, seed))
        if isinstance(table, Dataset):
            return learn_request(request, plan)
        return learn_incomplete(table, request, plan, em)


def _records_of(
    data: object,
    wishes: Wishes,
    bins: BinsOption,
    policy: MissingPolicy,
) -> tuple[Dataset | IncompleteDataset, Binning]:
    """Return the records to learn from, and the bins of their numbers."""
    if isinstance(data, Dataset | IncompleteDataset):
        if wishes != Wishes():
            raise SettingsError(
                "present, order and drop are for tables that are read; a Dataset has its columns "
                "and states already"
            )
        if bins is not None:
            raise SettingsError("bins are for tables that are read; a Dataset has states already")
        return data, Binning()
    wishes = replace(wishes, gap_choices=ALL_CHOICES)
    options = ReadOptions(wishes=wishes, bins=asked_bins(bins), missing=policy)
    return read_by_policy(data, options)
