"""What is to be learned: the one value that travels from the user to the kernels."""

from dataclasses import dataclass, field

from noisyor.core.bayes_factor import BayesFactor
from noisyor.core.constraints import Constraints, Knowledge
from noisyor.core.dataset import Dataset
from noisyor.core.errors import DataError, MismatchError, SettingsError
from noisyor.core.penalty import FamilyPenalty
from noisyor.core.prior import Prior
from noisyor.core.relations import Relation, RelationChoice, relations_from
from noisyor.core.score import BIC, Score, check_score, score_named
from noisyor.core.threads import check_jobs
from noisyor.core.variable import MAX_STATES, check_names
from noisyor.core.variable_sets import variables_in

DEFAULT_BAYES_FACTOR = 20.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use: threads, seconds, and bytes of memory; None for the default of each."""

    jobs: int | None = None
    seconds: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        """Refuse limits that no run can keep."""
        check_jobs(self.jobs)
        if self.seconds is not None and not self.seconds > 0:
            raise SettingsError(f"the time limit is {self.seconds}; it must be above 0 seconds")
        if self.memory is not None and self.memory < 1:
            raise SettingsError(f"the memory limit is {self.memory} bytes; it must be at least 1")


@dataclass(frozen=True, slots=True)
class Request:
    """The data and the settings that define the credible set.

    `factor` bounds the Bayes factor of credible networks. `relations` compete at each node;
    `constraints` are certain knowledge about the network, and `prior` is what is likely.
    """

    data: Dataset
    factor: BayesFactor
    score: Score
    relations: tuple[Relation, ...]
    constraints: Constraints
    limits: Limits = field(default_factory=Limits)
    prior: Prior = field(default_factory=Prior.none)

    def __post_init__(self) -> None:
        """Refuse data that cannot be learned from, and parts that do not belong together."""
        check_names(self.data.names)
        for variable in self.data.variables:
            if variable.state_count > MAX_STATES:
                raise DataError(
                    f"{variable.name!r} has {variable.state_count} states; in a table to learn "
                    f"from, at most {MAX_STATES} are supported"
                )
        check_score(self.score, self.relations)
        if self.data.copies > 1 and self.score.dirichlet is not None:
            raise SettingsError(
                f"the score {self.score} is a marginal likelihood, which is not defined for "
                "completions of records; allowed: bic, aic, ebic, qnml"
            )
        if self.constraints.names != self.data.names:
            raise MismatchError("the constraints are about other variables than the data")
        self.prior.check_names(self.data.names)

    def penalties(self, relation: Relation, child: int) -> FamilyPenalty:
        """Return what the child's families of a relation cost besides their fit."""
        data = self.data
        return FamilyPenalty(
            self.score, self.prior, relation, child, data.variables, data.record_count
        )

    def penalty(self, relation: Relation, child: int, parents: int) -> float:
        """Return what the child's family over these parents costs besides its fit, in nats."""
        return self.penalties(relation, child).of(parents)

    def relations_of(self, child: int) -> tuple[Relation, ...]:
        """Return the relations that the child can have, with some of its allowed parents."""
        variables = self.data.variables
        own = variables[child]
        allowed = self.constraints.allowed[child]
        return tuple(
            relation
            for relation in self.relations
            if relation.supports(own, ())
            or any(relation.supports(own, (variables[one],)) for one in variables_in(allowed))
        )

    @classmethod
    def of(  # noqa: PLR0913  (one option each, all by name)
        cls,
        data: Dataset,
        bayes_factor: float | BayesFactor = DEFAULT_BAYES_FACTOR,
        *,
        temperature: float | None = None,
        score: str | Score = BIC,
        relations: RelationChoice | None = None,
        constraints: Constraints | Knowledge | None = None,
        prior: Prior | None = None,
        jobs: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> "Request":
        """Return a request from user input: names, numbers, knowledge."""
        score = score_named(score)
        if isinstance(constraints, Knowledge):
            constraints = constraints.constraints(data.names)
        return cls(
            data,
            BayesFactor.of(bayes_factor, temperature),
            score,
            relations_from(score.default_relations if relations is None else relations),
            constraints or Constraints.none(data.names),
            Limits(jobs, time_limit, memory_limit),
            prior or Prior.none(),
        )
