"""Scores: what a family costs, by its fit and by its size.

The cost of a family under a score is its negative log-likelihood plus a penalty, in nats; lower is
better. Under a Bayesian-Dirichlet score it is the negative logarithm of its marginal likelihood. A
score is a value that knows for which relations it is defined and which pruning rules hold. Its
text, such as `ebic(0.5)`, is how options and files name it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import inf, isfinite, lgamma, log

from noisyor.core.configurations import configuration_count
from noisyor.core.dirichlet import Dirichlet, DividedBy
from noisyor.core.errors import SettingsError
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.regret import log_regret
from noisyor.core.relations import DEFAULT_RELATIONS, Relation, all_relations, root_relation


@dataclass(frozen=True, slots=True)
class Score:
    """A penalised likelihood: each free parameter has a price, and so may the number of parents.

    `price` maps a number of records to the price of one parameter, in nats. `gamma` is the weight
    of a prior that is uniform over the parent sets of each size (see `size_penalty`). `rules` are
    the pruning rules whose proofs hold. Those of `core.pruning_rules` need a price that is not
    negative.
    """

    name: str
    price: Callable[[int], float] = field(repr=False, compare=False)
    rules: PruningRule = field(default=ALL_RULES, repr=False)
    gamma: float = field(default=0.0, repr=False)

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> "tuple[Callable[[str], Score], tuple[str]]":
        # Pickled by name, so that a copy, also in another process, is the same object.
        return score_named, (self.name,)

    def is_defined_for(self, relation: Relation) -> bool:  # noqa: ARG002
        """Return whether the score is defined for a relation; here it needs a likelihood only."""
        return True

    @property
    def default_relations(self) -> tuple[Relation, ...]:
        """The relations that compete if none are named: of the usual ones, those allowed."""
        return tuple(one for one in DEFAULT_RELATIONS if self.is_defined_for(one))

    @property
    def dirichlet(self) -> Dirichlet | None:
        """The prior of a full table's rows; None for a score by the largest likelihood."""
        return None

    @property
    def counts_configurations(self) -> bool:
        """Whether the penalty depends on the number of the parents' configurations alone."""
        return False

    def penalty(
        self, relation: Relation, child_states: int, parent_states: Sequence[int], records: int
    ) -> float:
        """Return the penalty for the parameters of a family, in nats.

        It is infinite for more parameters than a floating-point number can count.
        """
        count = relation.parameter_count(child_states, parent_states)
        try:
            return count * self.price(records)
        except OverflowError:
            return inf

    def size_penalty(self, parents: int, variables: int) -> float:
        """Return the penalty for a number of parents among the other variables, in nats.

        It is gamma ln C(n - 1, k) for k of n variables. With gamma 1, the sizes are equally likely
        beforehand, and so are the sets of one size (Chen and Chen, 2008). It is concave in k and
        falls again beyond (n - 1) / 2.
        """
        return self.gamma * _log_binomial(variables - 1, parents) if self.gamma else 0.0


@dataclass(frozen=True, slots=True)
class TableScore(Score):
    """A score that is defined for full tables alone."""

    def is_defined_for(self, relation: Relation) -> bool:
        """Return whether the relation is the full table."""
        return relation == root_relation()


@dataclass(frozen=True, slots=True)
class DirichletScore(TableScore):
    """The marginal likelihood of full tables under a symmetric Dirichlet prior; no penalty."""

    rows: Dirichlet = field(default=Dirichlet(1.0, DividedBy.NOTHING), repr=False, kw_only=True)

    @property
    def dirichlet(self) -> Dirichlet:
        """The prior of a full table's rows."""
        return self.rows


@dataclass(frozen=True, slots=True)
class QuotientScore(TableScore):
    """Quotient normalised maximum likelihood: the regret of a family over that of its parents."""

    @property
    def counts_configurations(self) -> bool:
        """The penalty depends on the number of the parents' configurations alone."""
        return True

    def penalty(
        self,
        relation: Relation,  # noqa: ARG002
        child_states: int,
        parent_states: Sequence[int],
        records: int,
    ) -> float:
        """Return ln C(N, r q) - ln C(N, q), in nats, for q configurations of the parents.

        C(N, K) is a polynomial in K without negative coefficients: in `core.regret`, B(x)^K =
        exp(-K ln(1 - T(x))), and the series of -ln(1 - T(x)) has none. So ln C(N, exp(t)) is convex
        in t, and the penalty does not fall as q grows. It tends to N ln r.
        """
        configurations = configuration_count(parent_states)
        if configurations >= _MOST:
            return records * log(child_states)
        whole = log_regret(records, child_states * configurations)
        return whole - log_regret(records, configurations)


_MOST = 10**300
"""With more configurations the penalty of qNML is at its limit, to rounding."""


def _log_binomial(whole: int, part: int) -> float:
    return lgamma(whole + 1) - lgamma(part + 1) - lgamma(whole - part + 1)


def _half_log(records: int) -> float:
    return log(records) / 2


BIC = Score("bic", _half_log)
"""The Bayesian information criterion (Schwarz, 1978): ln(N) / 2 nats a parameter."""

AIC = Score("aic", lambda records: 1.0)  # noqa: ARG005
"""The information criterion of Akaike (1974): 1 nat a parameter."""


def ebic(gamma: float = 1.0) -> Score:
    """Return the extended BIC (Chen and Chen, 2008): BIC, and gamma ln C(n - 1, k) for k parents.

    Parameters
    ----------
    gamma
        The weight of the second part, at least 0; with 0 it is BIC.

    Examples
    --------
    >>> str(ebic(0.5))
    'ebic(0.5)'
    """
    if not (isfinite(gamma) and gamma >= 0):
        raise SettingsError(f"the gamma of ebic is {gamma}; it must be a number of at least 0")
    return _ebic(float(gamma))


@cache
def _ebic(gamma: float) -> Score:
    return Score(_text("ebic", gamma, 1.0), _half_log, gamma=gamma)


def bdeu(size: float = 1.0) -> Score:
    """Return the marginal likelihood of full tables that treats equivalent networks alike.

    The Dirichlet prior has the same pseudo-count in all cells of a table, which sum to `size`
    (Buntine, 1991; Heckerman, Geiger and Chickering, 1995).

    Parameters
    ----------
    size
        The equivalent sample size, above 0.
    """
    return _bdeu(_size(size, "bdeu"))


def bds(size: float = 1.0) -> Score:
    """Return a marginal likelihood like `bdeu`, for sparse data (Scutari, 2016).

    The pseudo-counts are divided among the configurations of the parents that were observed, not
    among all.

    Parameters
    ----------
    size
        The equivalent sample size, above 0.
    """
    return _bds(_size(size, "bds"))


@cache
def _bdeu(size: float) -> Score:
    rows = Dirichlet(size, DividedBy.CONFIGURATIONS)
    return DirichletScore(_text("bdeu", size, 1.0), _nothing, rows=rows)


@cache
def _bds(size: float) -> Score:
    rows = Dirichlet(size, DividedBy.OBSERVED)
    return DirichletScore(_text("bds", size, 1.0), _nothing, rows=rows)


_SMALLEST_SIZE = 1e-100  # a share of it, for each row of a table, must still be above 0
_LARGEST_SIZE = 1e6  # beyond it, differences of logarithms of factorials lose their digits


def _nothing(_records: int) -> float:
    return 0.0


def _size(size: float, name: str) -> float:
    if not _SMALLEST_SIZE <= size <= _LARGEST_SIZE:
        raise SettingsError(
            f"the sample size of {name} is {size}; it must be from {_SMALLEST_SIZE:g} to "
            f"{_LARGEST_SIZE:g}"
        )
    return float(size)


K2 = DirichletScore("k2", _nothing, rows=Dirichlet(1.0, DividedBy.NOTHING))
"""The marginal likelihood of full tables with uniform rows (Cooper and Herskovits, 1992)."""

QNML = QuotientScore("qnml", _nothing)
"""Quotient normalised maximum likelihood of full tables (Silander et al., 2018)."""


def _text(name: str, value: float, default: float) -> str:
    """Return the text of a score with a number, which is left out if it is the default."""
    return name if value == default else f"{name}({int(value) if value.is_integer() else value!r})"


SCORES = {score.name: score for score in (BIC, AIC, ebic(), bdeu(), bds(), K2, QNML)}
"""The scores by name, with their default numbers."""

_WITH_NUMBER: dict[str, Callable[[float], Score]] = {"ebic": ebic, "bdeu": bdeu, "bds": bds}

_CALL = re.compile(r"\s*([a-z0-9]+)\s*\(\s*([^()]*?)\s*\)\s*")

ALLOWED = ", ".join(f"{name}, {name}(NUMBER)" if name in _WITH_NUMBER else name for name in SCORES)
"""The texts that name a score, for messages and help."""


def score_named(name: "str | Score") -> Score:
    """Return the score with this name, such as `bic`, `ebic` or `ebic(0.5)`."""
    if isinstance(name, Score):
        return name
    if name in SCORES:
        return SCORES[name]
    call = _CALL.fullmatch(name)
    if call is None or call[1] not in _WITH_NUMBER:
        raise SettingsError(f"there is no score {name!r}; allowed: {ALLOWED}")
    try:
        number = float(call[2])
    except ValueError as error:
        raise SettingsError(
            f"the score is {name!r}; {call[1]} takes one number, as in {call[1]}(0.5)"
        ) from error
    return _WITH_NUMBER[call[1]](number)


def check_score(score: Score, relations: Sequence[Relation]) -> None:
    """Refuse relations that a score is not defined for."""
    for relation in relations:
        if not score.is_defined_for(relation):
            allowed = [one.name for one in all_relations() if score.is_defined_for(one)]
            raise SettingsError(
                f"the score {score} is not defined for {relation}; allowed: {', '.join(allowed)}"
            )
