"""The page of the study: what was done, tables, figures, and answers that follow from them."""

from collections.abc import Mapping

from benchmarks.harness.learning_jobs import HELD_OUT_RECORDS
from benchmarks.harness.markdown import listed
from benchmarks.harness.measuring import BAYES_FACTOR, Results
from benchmarks.harness.pages import IMAGES
from benchmarks.harness.random_networks import (
    ARCS_PER_VARIABLE,
    FAILURES,
    FREQUENCIES,
    MOST_PARENTS,
    ROOT_CHANCES,
)
from benchmarks.study.answers import (
    calibration_answers,
    prediction_answers,
    relation_answers,
    structure_answers,
    truth_answers,
)
from benchmarks.study.figures import CALIBRATION, DIFFERENCES, HELD_OUT, STRUCTURE, TRUTHS
from benchmarks.study.plan import (
    COMMON_SIZE,
    CURVE_VARIABLES,
    KINDS,
    RANDOM,
    TRUE,
    choices,
    random_jobs,
    true_jobs,
)
from benchmarks.study.statistics import CONFIDENCE, FEWEST_CLUSTERS, RESAMPLES, Outcome, outcomes_of
from benchmarks.study.tables import (
    arc_table,
    calibration_table,
    prediction_table,
    relation_table,
    size_table,
    structure_table,
    truth_table,
)
from noisyor.networks.likelihood import SMOOTHING
from noisyor.networks.parameters import FEW_MEMBERS

_INTRODUCTION = """\
## The study: does allowing noisy-ORs pay?

Made by `make study` (`python -m benchmarks.study`). The paper does not ask whether networks are
recovered better when noisy-ORs are allowed, nor whether the weights of the credible set are
calibrated. Here records are drawn from known networks: the seven ground-truth networks, and random
ones. From each sample the credible networks with Bayes factor {factor} are learned twice, with full
tables and the paper's noisy-ORs, which have no leak (`both`), and with full tables alone
(`tables`), and compared with the truth. So this page is about the paper's pair. The leaky default,
signed relations and EBIC are compared on such samples, of random and of ground-truth networks, by
[which relations should compete](relations.md), and on networks with leaks, weak and rare causes and
wrong models by the [grid](grid.md); [real data](heldout.md) have a page of their own.

Random networks have {sizes} variables and {arcs:g} arcs per variable, with at most {parents}
parents each. In the kind `noisy-or` every family with two or more parents is a noisy-OR without a
leak; in the kind `mixed` each is one with chance 1/2. A family with one parent is a full table.
Roots are present with chance {low_root:g} to {high_root:g}, a present cause fails with q from
{low_q:g} to {high_q:g}, and full tables are drawn uniformly. Distributions are drawn again until
the variable is present in {low:.0%} to {high:.0%} of the records. Each random network gives one
sample of each size, each ground-truth network several:

{plan}

SHD counts the pairs of variables that are joined differently, a reversed arc as one; CPDAG SHD
does so between the equivalence classes, as if every node were a full table. Both are given per
true arc. `excess` is the log-likelihood of {held_out:,} held-out records under the truth minus that
under the learned network, in nats per record (an estimate of the Kullback-Leibler divergence).
Parameters are fitted by maximum likelihood and smoothed with a share of {smoothing:g} of a uniform
distribution, so that nothing is impossible. A difference is `both` minus `tables` on the same
sample, which removes what the two have in common. Brackets and bands are {confidence:.0%} intervals
from {resamples:,} bootstrap draws of random networks, or of repeats. They hold point by point: some
of many intervals miss. There are none from fewer than {fewest} networks or repeats, where all
agree in sign by mere chance too often. Where an answer says "clearly", the interval does not
contain 0. Panels of a figure that have the same measure have the same scale.

{coverage}"""

_CURVES = """\
Tables and curves are over networks with {variables} variables, which were run with every number of
records. In the first figure lower distances and higher shares are better."""

_AVERAGING = """\
`average` weighs the networks of the credible set by exp(-(cost - optimum)). Its difference is to
the best network alone, with noisy-ORs allowed; below 0 it predicts better. If there are more than
{few:,} networks, {few:,} are drawn by weight. The figure has ratios of mean excesses: below 1 is
better."""

_WEIGHTS = """\
The table is with noisy-ORs allowed; the figure's small numbers count its pairs. Adjacencies
disregard direction. The figure's third column leaves out the pairs that a reversible edge of the
true network's class joins, because full tables cannot decide its direction. This selection depends
on the truth, so the column shows where arcs go wrong and is not itself a calibration. Intervals are
the wider, on each side, of a bootstrap (of random networks, or of repeats) and a binomial
interval."""

_LIMITS = """\
### What the study cannot say

- All random networks have one design. Their noisy-ORs have no leak and strong causes, as the
  learner assumes; the [grid](grid.md) shows what changes with leaks, weak causes and rarer ones.
- The ground-truth networks are read as full tables, and most were made binary. A learned noisy-OR
  there is a relation that BIC prefers on the sample; whether it is true is not counted.
- A best network is one of several with the same cost: its reversible arcs have an arbitrary
  direction, which SHD, precision and recall of arcs count and CPDAG SHD does not.
- Weights are exp(-(cost - optimum)) within the credible set, where BIC is an approximation, and
  pairs that no credible network joins have weight 0. Calibration is over a mixture of networks and
  numbers of records; it does not hold for a single one.
- Samples that were not solved in time are left out, and they are not a random selection.
- A bootstrap of few networks or repeats gives intervals that are somewhat too narrow."""


def section(results: Mapping[str, Results], images: str = IMAGES) -> str:
    """Return the study as a section of a page, whose figures are in the folder `images`."""
    outcomes = outcomes_of(results)
    parts = [
        _introduction(outcomes),
        "### Is the structure recovered better?",
        structure_table(outcomes),
        f"![Recovery of random networks by number of records]({images}/{STRUCTURE})",
        f"![Paired differences in recovery]({images}/{DIFFERENCES})",
        arc_table(outcomes),
        _CURVES.format(variables=listed(CURVE_VARIABLES)),
        structure_answers(outcomes),
        f"By the number of variables, with N = {COMMON_SIZE}:",
        size_table(outcomes),
        "### Are new records predicted better?",
        prediction_table(outcomes),
        f"![Prediction of new records of random networks]({images}/{HELD_OUT})",
        _AVERAGING.format(few=FEW_MEMBERS),
        prediction_answers(outcomes),
        "### And on the ground-truth networks?",
        truth_table(outcomes),
        f"![Paired differences on the ground-truth networks]({images}/{TRUTHS})",
        truth_answers(outcomes),
        "### Are the noisy-ORs found?",
        relation_table(outcomes),
        relation_answers(outcomes),
        "### Are the weights calibrated?",
        calibration_table(outcomes),
        f"![Calibration of weights]({images}/{CALIBRATION})",
        _WEIGHTS,
        calibration_answers(outcomes),
        _LIMITS,
    ]
    return "\n\n".join(parts) + "\n"


def _introduction(outcomes: list[Outcome]) -> str:
    return _INTRODUCTION.format(
        factor=BAYES_FACTOR,
        sizes=listed(RANDOM),
        arcs=ARCS_PER_VARIABLE,
        parents=MOST_PARENTS,
        low_root=ROOT_CHANCES[0],
        high_root=ROOT_CHANCES[1],
        low_q=FAILURES[0],
        high_q=FAILURES[1],
        low=FREQUENCIES[0],
        high=FREQUENCIES[1],
        plan=_plan(),
        held_out=HELD_OUT_RECORDS,
        smoothing=SMOOTHING,
        confidence=CONFIDENCE,
        resamples=RESAMPLES,
        fewest=FEWEST_CLUSTERS,
        coverage=coverage(outcomes),
    )


def _plan() -> str:
    """Return the planned jobs, a line for random networks of each size and for each network."""
    lines = ["| networks | how many | records |", "|---|--:|:--|"]
    lines += [
        f"| random, {n} variables | {len(KINDS)} x {share.repeats} | {listed(share.sizes)} |"
        for n, share in RANDOM.items()
    ]
    lines += [
        f"| {name} | {share.repeats} samples | {listed(share.sizes)} |"
        for name, share in TRUE.items()
    ]
    return "\n".join(lines)


def coverage(outcomes: list[Outcome]) -> str:
    """Say how many samples there are, and which are left out because they took too long."""
    planned = len(random_jobs(choices())) + len(true_jobs(choices()))
    text = f"Of {planned:,} planned samples, {len(outcomes):,} have a result."
    left_out = [one for one in outcomes if not one.comparable]
    if left_out:
        parts = [one.part for one in left_out]
        where = ", ".join(f"{part} {parts.count(part)}" for part in dict.fromkeys(parts))
        text += (
            f" {len(left_out):,} are left out because an optimum was not proven in time ({where})."
        )
    sets = [
        one
        for one in outcomes
        if one.comparable and not all(one.result[kind]["complete"] for kind in ("both", "cpt"))
    ]
    if sets:
        text += f" {len(sets):,} more have an incomplete credible set; only that set is left out."
    return text
