"""The page on held-out records of real data: gains, averages, a yardstick, and what they say."""

from collections.abc import Mapping
from math import log
from statistics import median

from benchmarks.harness.markdown import listed, table, wrapped
from benchmarks.harness.measuring import BAYES_FACTOR, Results
from benchmarks.harness.pages import IMAGES
from benchmarks.heldout.figures import EDGE, FIGURE
from benchmarks.heldout.logistic import PENALTY
from benchmarks.heldout.plan import (
    ALL,
    ALONE,
    DATASETS,
    EXACT,
    FEWER_FOLDS,
    FOLDS,
    GREEDY,
    LEAKY,
    LEAKY_EBIC,
    LEARNERS,
    LOGISTIC,
    MOST_MEMBERS,
    OTHERS,
    PAPER,
    ROUNDS,
    SAMPLED,
    SMOOTHING,
    STATES,
    TABLE_PRIOR,
    TABLES,
    TOO_LONG,
    folds_of,
    jobs,
)
from benchmarks.heldout.statistics import (
    Gain,
    best,
    gain_of,
    mean_of,
    of_averaging,
    over_tables,
    record_count,
    stored_datasets,
)

COMPARED = (PAPER, LEAKY, ALL, LEAKY_EBIC, GREEDY)
"""Ways whose best networks are compared with those of full tables."""

TITLES = {name: one.title for name, one in LEARNERS.items()} | OTHERS

NAMES = {
    TABLES: "full tables",
    PAPER: "the paper's noisy-ORs, without leak",
    LEAKY: "leaky noisy-ORs, the default",
    ALL: "all relations",
    LEAKY_EBIC: "leaky noisy-ORs with EBIC",
    GREEDY: "full tables by the greedy search of pyAgrum",
}
"""What the ways are called in a sentence."""

_INTRODUCTION = """\
## What are relations worth on real data?

Made by `make heldout` (`python -m benchmarks.heldout`). The networks behind real data are not
known, so here networks are judged by how well they predict records that they were not learned
from: the mean log-likelihood of a held-out record, in nats, by {folds}-fold cross-validation. One
nat is a factor of 2.7 in the probability of a record. The data are the sixteen data sets of the
paper, of which {sampled} is a sample of a known network and the others are real, and {states} of
scikit-learn, which have variables of more than two states (numbers in three bins). Every way has
the same folds.

- **{exact}** are learned exactly: all credible networks (Bayes factor {factor}) are found, and the
  best one is proven to be best{unproven}.
- For the **others**, and for {too_long}, networks come from {rounds} rounds of noisyor's local
  search, to save time (most can be learned exactly with some of the sets; all sets are treated
  alike). So the best network is the best that was found, and there is no credible set to average.
  Local search adds causes one at a time, so it may miss a
  noisy-OR without leak, which is possible only once all of its causes are there.

Full tables have the parameters that are the mean of a posterior, with {prior:g} records of each
state added to every configuration (Krichevsky and Trofimov, 1981); causes have those of maximum
likelihood. Every conditional probability of every way has a share of {smoothing:g} of a uniform
distribution, so that nothing is impossible. This is the choice that favours full tables; the page
has the other one below. pyAgrum gives arcs, by greedy hill climbing with BIC, and its networks get
their parameters in the same way.

Training sets overlap, so folds are not independent. Standard errors are those of paired differences
over folds, corrected for this (Nadeau and Bengio, 2003), and an interval of 95 % has the quantile
of Student's t with {freedom} degrees of freedom.{fewer} A star marks what is clearly better, bold
type what is clearly worse: the interval does not contain 0. Of many intervals some miss: of a
hundred comparisons between equals, five are called clear. {coverage}"""

_GAINS = """\
### Gain over full tables

The first column of figures has the log-likelihood of a record under the best network of full
tables, the second what its arcs are worth (its gain over no arcs at all). The others have the gain
of another way's best network over that of full tables, with its standard error."""

_FIGURE = """\
Points are gains over the best network of full tables, lines their 95 % intervals: blue is clearly
better, orange clearly worse, grey neither. The scale is the same for all data sets; an arrow marks
what lies beyond {edge:g} nats. The last panel averages over the credible set, where it is known."""

_AVERAGES = """\
### Average over the credible set

The gain of the average over all credible networks, weighted by exp(-(cost - optimum)), over the
best network of the same relations. Of more than {most} networks, {most} are drawn by weight."""

_PLAIN = """\
### With parameters of maximum likelihood

As the first table, but full tables have the parameters of maximum likelihood, too. A combination of
states that was not seen in training then costs about {cost:.0f} nats, which punishes the large
tables."""

_EACH = """\
### Beside logistic regressions

Logistic regressions of each variable on all the others (scikit-learn, penalty C = {penalty:g})
are what one would use to predict single variables. They do not make a joint distribution, so they
have no log-likelihood of a record. What can be compared is the sum over the variables of the
log-probability of each given all the others (the pseudo-log-likelihood of a record). Regressions
are fitted to exactly this; a network is fitted to the whole record, and its answer follows by
Bayes' rule. The first column has the value under the best network of full tables; the others have
gains over it."""

_LIMITS = """\
### What this cannot say

- A better prediction is no proof that a relation is true, and structures are not compared: the true
  ones are not known.
- Where local search was used, a difference also has what the search missed. It has the same number
  of rounds for every set of relations, and more choices for larger ones.
- The comparison of full tables with causes depends on the smoothing of the tables: see both tables.
  Where a noisy-OR and a full table have the same likelihood, as on iris, they differ by that alone.
- Ten folds of about ten records each say little about a data set such as zoo; intervals are wide
  there for that reason."""


def section(results: Mapping[str, Results]) -> str:
    """Return the page as a section."""
    parts = [
        _introduction(results),
        f"![Gain over full tables]({IMAGES}/{FIGURE})",
        _FIGURE.format(edge=EDGE),
        conclusions(results),
        _GAINS,
        gain_table(results),
        _AVERAGES.format(most=MOST_MEMBERS),
        average_table(results),
        _PLAIN.format(cost=-log(SMOOTHING / 2)),
        plain_table(results),
        _EACH.format(penalty=PENALTY),
        each_table(results),
        each_answer(results),
        _LIMITS,
    ]
    return wrapped("\n\n".join(parts)) + "\n"


def _introduction(results: Mapping[str, Results]) -> str:
    return _INTRODUCTION.format(
        folds=FOLDS,
        sampled=SAMPLED,
        states=listed(STATES),
        exact=listed(EXACT),
        factor=BAYES_FACTOR,
        unproven=_unproven(results),
        rounds=ROUNDS,
        too_long=listed(f"{TITLES[way].lower()} of {name}" for name, way in TOO_LONG),
        prior=TABLE_PRIOR,
        smoothing=SMOOTHING,
        freedom=FOLDS - 1,
        fewer=_fewer_folds(),
        coverage=coverage(results),
    )


def _unproven(results: Mapping[str, Results]) -> str:
    """Say of how many runs the proof or the count did not end in time, if of any."""
    runs = [one for one in results.values() if one.get("exact")]
    late = sum(one["networks"] is None for one in runs)
    return f" ({late} of {len(runs):,} runs were stopped before)" if late else ""


def _fewer_folds() -> str:
    """Say of which data sets not every fold is predicted."""
    told = [f"{folds} of {name}" for name, folds in FEWER_FOLDS.items()]
    return (
        f" To save time, only some of the {FOLDS} folds are predicted of the largest data sets: "
        f"{listed(told)}. Their intervals have the quantile of as many folds, and are wider for it."
        if told
        else ""
    )


def coverage(results: Mapping[str, Results]) -> str:
    """Say how much of the plan is stored, and what could not be done."""
    planned = len(jobs())
    seconds = sum(one.get("seconds", 0.0) for one in results.values())
    text = (
        f"Of {planned:,} planned runs, {len(results):,} are stored; learning took "
        f"{seconds / 60:.0f} minutes of processor time."
    )
    known = stored_datasets(results)
    missing = [name for name in DATASETS if name not in known]
    if missing:
        text += f" Not run yet, or not all of their folds: {listed(missing)}."
    failed = [key for key, one in results.items() if "nothing_because" in one]
    return f"{text} Not done: {listed(failed)}." if failed else text


def conclusions(results: Mapping[str, Results]) -> str:
    """Say for each way on which data sets it is clearly better or worse than full tables."""
    lines = [
        f"- **{_capital(NAMES[way])}**: {verdict(over_tables(results, way))}" for way in COMPARED
    ]
    ebic = {
        name: gain
        for name in DATASETS
        if (gain := gain_of(results, name, (LEAKY_EBIC, best("joint")), (LEAKY, best("joint"))))
        is not None
    }
    lines.append(f"- **EBIC instead of BIC**, leaky noisy-ORs: {verdict(ebic, 'BIC')}")
    for way in (TABLES, LEAKY, ALL):
        said = verdict(of_averaging(results, way), than="the best network alone")
        lines.append(f"- **Average over the credible set**, {NAMES[way]}: {said}")
    return "\n".join(lines)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def verdict(gains: Mapping[str, Gain], than: str = "full tables") -> str:
    """Say on which data sets gains are clear, and on which side."""
    if not gains:
        return "not stored yet."
    better = [name for name, gain in gains.items() if gain.clearly_better]
    worse = [name for name, gain in gains.items() if gain.clearly_worse]
    same = [name for name, gain in gains.items() if gain.mean == 0 and gain.error == 0]
    middle = median(gain.mean for gain in gains.values())
    alike = f", the same in every fold on {_named(same)}" if same else ""
    return (
        f"of {len(gains)} data sets, clearly better than {than} on {_named(better)}, clearly worse "
        f"on {_named(worse)}{alike}; the median gain is {round(middle, 3) or 0.0:+.3f} nats."
    )


def _named(names: list[str]) -> str:
    return f"{len(names)} ({', '.join(names)})" if names else "none"


def gain_table(results: Mapping[str, Results]) -> str:
    """Return the gains of all ways over full tables."""
    arcs = {
        name: gain_of(results, name, (TABLES, best("joint")), (ALONE, best("joint")))
        for name in DATASETS
    }
    gains = {way: over_tables(results, way) for way in COMPARED}
    rows = [
        [
            *_data_cells(results, name),
            _number(mean_of(results, name, TABLES, best("joint"))),
            _number(None if (worth := arcs[name]) is None else worth.mean),
            *(gain_text(gains[way].get(name)) for way in COMPARED),
        ]
        for name in stored_datasets(results)
    ]
    ways = [TITLES[way] for way in COMPARED]
    return table(("data", "n", "N", "learned", "full tables", "its arcs", *ways), rows)


def _data_cells(results: Mapping[str, Results], name: str) -> list[str]:
    variables = results[f"{name}/0/{TABLES}"]["variables"]
    how = "exactly" if name in EXACT else "locally"
    if folds_of(name) < FOLDS:
        how += f", {folds_of(name)} folds"
    return [name, str(variables), f"{record_count(results, name):,}", how]


def average_table(results: Mapping[str, Results]) -> str:
    """Return the gains of averages over best networks."""
    ways = [way for way in LEARNERS if of_averaging(results, way)]
    gains = {way: of_averaging(results, way) for way in ways}
    rows = [
        [name, *(gain_text(gains[way].get(name)) for way in ways)]
        for name in stored_datasets(results)
        if any(name in gains[way] for way in ways)
    ]
    return table(("data", *(TITLES[way] for way in ways)), rows)


def plain_table(results: Mapping[str, Results]) -> str:
    """Return the gains over full tables with parameters of maximum likelihood."""
    gains = {way: over_tables(results, way, "plain") for way in COMPARED}
    rows = [
        [
            name,
            _number(mean_of(results, name, TABLES, best("plain"))),
            *(gain_text(gains[way].get(name)) for way in COMPARED),
        ]
        for name in stored_datasets(results)
    ]
    return table(("data", "full tables", *(TITLES[way] for way in COMPARED)), rows)


def each_table(results: Mapping[str, Results]) -> str:
    """Return the gains in each variable given all the others."""
    ways = (LEAKY, ALL, LOGISTIC)
    gains = {way: over_tables(results, way, "each") for way in ways}
    rows = [
        [
            name,
            _number(mean_of(results, name, TABLES, best("each"))),
            *(gain_text(gains[way].get(name)) for way in ways),
        ]
        for name in stored_datasets(results)
    ]
    return table(("data", "full tables", *(TITLES[way] for way in ways)), rows)


def each_answer(results: Mapping[str, Results]) -> str:
    """Say where regressions predict single variables better than networks do."""
    against = {
        name: gain
        for name in DATASETS
        if (gain := gain_of(results, name, (LOGISTIC, best("each")), (LEAKY, best("each"))))
        is not None
    }
    than = "networks of full tables and leaky noisy-ORs in this measure"
    return f"Regressions: {verdict(against, than)}"


def gain_text(gain: Gain | None) -> str:
    """Return a gain and its standard error, with a star if clearly better, bold if worse."""
    if gain is None:
        return "-"
    if gain.mean == 0 and gain.error == 0:
        return "0"
    sign = "+" if round(gain.mean, 3) > 0 else ""
    text = f"{sign}{round(gain.mean, 3) or 0.0:.3f} ± {gain.error:.3f}"
    if gain.clearly_worse:
        return f"**{text}**"
    return f"{text}\\*" if gain.clearly_better else text


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
