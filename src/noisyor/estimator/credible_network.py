# ruff: noqa: N803, N806  (X is what scikit-learn calls a table)
"""The credible networks of a table as a scikit-learn estimator."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.base import BaseEstimator, DensityMixin  # type: ignore[import-untyped]
from sklearn.exceptions import ConvergenceWarning  # type: ignore[import-untyped]
from sklearn.utils import (  # type: ignore[import-untyped]
    ClassifierTags,
    Tags,
    check_random_state,
)
from sklearn.utils.metaestimators import available_if  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from noisyor.core import (
    Constraints,
    DataError,
    Dataset,
    ImpossibleEvidenceError,
    Knowledge,
    SettingsError,
)
from noisyor.core.incomplete_dataset import GAP, IncompleteDataset
from noisyor.core.listing import listed
from noisyor.core.relations import RelationChoice
from noisyor.core.warning import warn_user
from noisyor.data import DataWarning, MissingPolicy
from noisyor.data.wishes import Wishes
from noisyor.estimator.answers import Floats, Weighted, chances, draw, log_likelihoods, smoothed
from noisyor.estimator.columns import (
    Codes,
    Variable,
    codes_of,
    dataset_of,
    incomplete_of,
    is_frame,
    refuse_gaps,
)
from noisyor.estimator.tables import (
    read_others,
    read_table,
    read_target,
    target_name,
    width_of,
)
from noisyor.incomplete.options import Em
from noisyor.learning import learn
from noisyor.networks import fit_members, fit_network
from noisyor.networks.likelihood import SMOOTHING
from noisyor.networks.parameters import FEW_MEMBERS

_LARGEST_SEED = 2**31 - 1


def _has_target(estimator: "CredibleNetwork") -> bool:
    """Return whether there is a target to predict; before fitting there may be."""
    if getattr(estimator, "target_", "") is None:
        raise AttributeError(
            "there is no target to predict: name a column (target=...), or give y to fit"
        )
    return True


class CredibleNetwork(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """All credible networks of a discrete table as one density, and as a classifier of a target.

    Parameters
    ----------
    bayes_factor, relations, labels, method, time_limit
        As in `noisyor.learn`.
    missing
        What `fit` does about missing values: `"error"` refuses them, `"drop"` leaves out records
        that lack one, and `"em"` learns from all records by structural EM, in threads of `n_jobs`
        and with draws of `random_state`.
    max_parents
        The most parents of a variable; None for any number.
    knowledge
        A `Knowledge` or `Constraints` about the network, with variables by name.
    target
        The column of X to predict, by name or by number. If `fit` gets y, that is the target.
    present, order
        By column, the value that means present, and all states in their order; see `noisyor.read`.
    prior
        Records of each state that are added to each configuration of a full table.
    smoothing
        The share of a uniform distribution in every conditional probability when records are
        scored, so that none has probability zero; see `score_samples` and `predict_proba`.
    average
        Whether answers are averaged over the credible networks, or are those of the best one.
    members
        The most networks to average over. If there are more, this many are drawn by weight.
    n_jobs
        Threads to learn with, as scikit-learn counts them: None is 1, -1 is all.
    random_state
        The seed of the networks that are drawn, and of the records of `sample`.

    Attributes
    ----------
    network_ : Network
        The best network with its parameters.
    networks_ : NetworkSet or None
        The networks that answers are averaged over; None if only the best one answers.
    optimum_, lower_bound_, count_, complete_, shortfalls_
        The best cost of the credible set, the proven lower bound, the number of its networks,
        whether it is complete, and if not, why. An incomplete set is not averaged over, and `fit`
        warns.
    approximate_ : str or None
        Why the set is approximate, if it was learned from records completed by EM.
    target_ : str or None
        The name of the variable that is predicted.
    classes_ : array
        The target's values in the order of its states, absent before present; only if there is a
        target.
    n_features_in_, feature_names_in_
        As in scikit-learn. Without names, columns are called x0, x1 and so on.
    learned_ : Learned
        Everything that `noisyor.learn` returned. It is bound to this process and is left out when
        the estimator is pickled; all other attributes are kept.
    """

    target_: str | None
    classes_: npt.NDArray[Any]

    def __init__(  # noqa: PLR0913  (each option is one that a user names)
        self,
        bayes_factor: float = 20,
        *,
        relations: RelationChoice = "default",
        missing: str = "error",
        max_parents: int | None = None,
        knowledge: Knowledge | Constraints | None = None,
        target: str | int | None = None,
        present: Mapping[str, str] | None = None,
        order: Mapping[str, Sequence[str]] | None = None,
        labels: str = "best",
        method: str = "auto",
        prior: float = 0.0,
        smoothing: float = SMOOTHING,
        average: bool = True,
        members: int = FEW_MEMBERS,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.bayes_factor = bayes_factor
        self.relations = relations
        self.missing = missing
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.target = target
        self.present = present
        self.order = order
        self.labels = labels
        self.method = method
        self.prior = prior
        self.smoothing = smoothing
        self.average = average
        self.members = members
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "CredibleNetwork":  # noqa: ANN401
        """Learn the credible networks of the records.

        Parameters
        ----------
        X
            The records: an array or a frame of discrete columns, such as categoricals. A column
            that never changes stays a variable, but without arcs, unless the knowledge names it.
        y
            One more column, which becomes the target.

        """
        if not (isfinite(self.smoothing) and 0 <= self.smoothing <= 1):
            raise SettingsError(f"smoothing is {self.smoothing}; it must be between 0 and 1")
        policy = self._policy()
        gaps = policy is not MissingPolicy.ERROR
        columns = read_table(self, X, reset=True, gaps=gaps)
        target = target_name(self.target, tuple(columns), y)
        if target is not None and y is not None:
            columns |= read_target(y, X, target)
        wishes = Wishes.of(self.present, self.order)
        data = incomplete_of(columns, wishes) if gaps else dataset_of(columns, wishes)
        self._learn(data, policy)
        self._variables = tuple(
            Variable.of(one.name, one.states, columns[one.name]) for one in data.variables
        )
        self._has_y = y is not None
        self._frame = nw.from_native(X).implementation.value if is_frame(X) else None
        self.target_ = target
        if hasattr(self, "classes_"):
            del self.classes_
        if target is not None:
            self.classes_ = np.array(self._variables[data.names.index(target)].values)
        return self

    def score_samples(self, X: Any, y: Any = None) -> Floats:  # noqa: ANN401
        """Return the logarithm of the probability of each record, in nats.

        The distribution is the average of the networks' distributions, in which every conditional
        probability p of a variable with r states counts as (1 - smoothing) p + smoothing / r, so no
        record is impossible. With smoothing=0 it is exact, and -inf where all networks rule a
        record out.

        Parameters
        ----------
        X
            The records.
        y
            The target's column, after `fit(X, y)`. Without it, the target is summed out.

        """
        check_is_fitted(self)
        codes = self._codes(X, y)
        known = self.n_features_in_ if y is None else len(self._variables)
        refuse_gaps(codes[:, :known], self.network_.names[:known])
        if known == len(self._variables):
            return log_likelihoods(self._weighted(), codes, self.smoothing)
        by_state = []
        for state in range(len(self._variables[-1].states)):
            codes[:, -1] = state
            by_state.append(log_likelihoods(self._weighted(), codes, self.smoothing))
        return np.asarray(np.logaddexp.reduce(by_state))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ANN401
        """Return the accuracy of `predict` if there is a target, else `log_likelihood`.

        So scikit-learn's tools rate a classifier as they rate others, and a density likewise.

        Parameters
        ----------
        X
            The records.
        y
            The target's values. If the target is a column of X, they may be left to that column.

        """
        check_is_fitted(self)
        if self.target_ is None:
            return self.log_likelihood(X, y)
        if y is None:
            if self._has_y:
                raise DataError("the accuracy of predictions needs y, the target's values")
            place = self.network_.index(self.target_)
            codes = self._codes(X)[:, place]
            refuse_gaps(codes[:, np.newaxis], [self.target_])
            y = self.classes_[codes]
        return float(np.mean(self.predict(X) == np.asarray(y).reshape(-1)))

    def log_likelihood(self, X: Any, y: Any = None) -> float:  # noqa: ANN401
        """Return the mean of `score_samples`: nats a record; higher is better.

        Parameters
        ----------
        X, y
            As in `score_samples`.

        """
        return float(self.score_samples(X, y).mean())

    @available_if(_has_target)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:  # noqa: ANN401
        """Return the chances of the target's values, in the order of `classes_`.

        The shape is (records, classes).

        The answers are exact and, if `average`, the mean over the networks in which the record is
        possible. Records that all networks rule out are answered by the networks with smoothed
        probabilities, with a DataWarning; with smoothing=0 they are refused.

        Parameters
        ----------
        X
            The records. The target's column may be missing; if it is there, it is ignored. Missing
            values are not observed; in a table with variables of more than two states, only the
            target's may be missing.

        """
        check_is_fitted(self)
        codes = self._codes(X, asking=True)
        place = self.network_.index(str(self.target_))
        found, ruled_out = chances(self._weighted(), codes, place)
        if ruled_out.any():
            found[ruled_out] = self._chances_if_smoothed(codes, ruled_out, place)
        return found

    @available_if(_has_target)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: ANN401
        """Return the most probable value of the target for each record, of equals the first.

        Parameters
        ----------
        X
            As in `predict_proba`.

        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def sample(
        self, n_samples: int = 1, random_state: int | np.random.RandomState | None = None
    ) -> Any:  # noqa: ANN401
        """Return random records in the form that `fit` took: X, or (X, y) if it was given y.

        X is an array or a frame of the same library, with the same columns and values. Each
        record is drawn from a network that was itself drawn by weight.

        Parameters
        ----------
        n_samples
            The number of records.
        random_state
            The seed; by default that of the estimator.

        """
        check_is_fitted(self)
        if n_samples < 1:
            raise SettingsError(f"{n_samples} records were asked for; it must be at least 1")
        random = check_random_state(self.random_state if random_state is None else random_state)
        records = draw(self._weighted(), n_samples, random)
        columns = {
            variable.name: variable.decode(records[:, place])
            for place, variable in enumerate(self._variables)
        }
        y = columns.pop(self._variables[-1].name) if self._has_y else None
        X: Any = np.column_stack(list(columns.values()))
        if self._frame is not None:
            X = nw.from_dict(columns, backend=self._frame).to_native()
        return X if y is None else (X, y)

    def _policy(self) -> MissingPolicy:
        policy = MissingPolicy.of(self.missing)
        if policy is MissingPolicy.STATE:
            raise SettingsError(
                "missing is 'state', but an estimator has no state for a missing value of a new "
                "record; allowed: 'error', 'drop', 'em'"
            )
        return policy

    def _learn(self, table: Dataset | IncompleteDataset, policy: MissingPolicy) -> None:
        """Learn the credible networks and set the attributes."""
        em = None
        if policy is MissingPolicy.EM:
            em = Em(seed=int(check_random_state(self.random_state).randint(_LARGEST_SEED)))
        learned = learn(
            table,
            self.bayes_factor,
            relations=self.relations,
            missing=policy,
            em=em,
            constraints=self._constraints(table),
            labels=self.labels,
            method=self.method,
            jobs=effective_n_jobs(self.n_jobs),
            time_limit=self.time_limit,
            quiet=True,
        )
        credible, data = learned.credible, learned.data
        if data is None:
            raise TypeError("a result of learning has its records")
        self.learned_ = learned
        self.optimum_ = credible.optimum
        self.lower_bound_ = credible.lower_bound
        self.count_ = credible.count
        self.complete_ = credible.complete
        self.shortfalls_ = credible.shortfalls
        self.approximate_ = learned.approximate
        self.network_ = fit_network(
            data, credible.best, prior=self.prior, settings=learned.settings
        )
        self.networks_ = None
        if not credible.complete:
            warn_user(
                "the credible networks are not all known, so answers are those of the best one "
                f"found: {'; '.join(credible.shortfalls)}",
                ConvergenceWarning,
            )
        elif self.average:
            self.networks_ = fit_members(
                data,
                credible,
                most=self.members,
                seed=int(check_random_state(self.random_state).randint(_LARGEST_SEED)),
                prior=self.prior,
                settings=learned.settings,
            )

    def _constraints(self, table: Dataset | IncompleteDataset) -> Constraints:
        """Return the constraints; a constant that the knowledge does not name has no arcs.

        Every column stays a variable, as scikit-learn expects, but one that never changes says
        nothing about the others.
        """
        knowledge = Knowledge() if self.knowledge is None else self.knowledge
        if self.max_parents is not None:
            if knowledge.max_parents not in {None, self.max_parents}:
                raise SettingsError(
                    f"max_parents is {self.max_parents}, and {knowledge.max_parents} in the "
                    "knowledge; set only one of them"
                )
            knowledge = replace(knowledge, max_parents=self.max_parents)
        if isinstance(knowledge, Constraints):
            return knowledge
        named = knowledge.names()
        alone = [name for name in table.constant_columns() if name not in named]
        if alone:
            what = "column never changes" if len(alone) == 1 else "columns never change"
            warn_user(
                f"{len(alone)} {what} and may have no arcs: {listed(alone)}",
                DataWarning,
            )
        apart = replace(
            knowledge, roots=(*knowledge.roots, *alone), sinks=(*knowledge.sinks, *alone)
        )
        return apart.constraints(table.names)

    def _weighted(self) -> Weighted:
        """Return the networks that answer."""
        if self.networks_ is None:
            return [(1.0, self.network_)]
        return list(zip(self.networks_.weights().tolist(), self.networks_, strict=True))

    def _codes(self, X: object, y: object = None, *, asking: bool = False) -> Codes:
        """Return records as codes of all variables, shape (records, n).

        Where the target is to be predicted, its column may be missing and is ignored.
        """
        mine = self._variables[: self.n_features_in_]
        lacking = asking and not self._has_y and width_of(X) == self.n_features_in_ - 1
        if lacking:
            mine = tuple(one for one in mine if one.name != self.target_)
            columns = read_others(X, [one.name for one in mine])
        else:
            columns = read_table(self, X, reset=False, gaps=asking)
        series = list(columns.values())
        if y is not None:
            if not self._has_y:
                raise DataError("y is given, but fit had none: it is not a variable")
            series += read_target(y, X, self._variables[-1].name).values()
            mine = self._variables
        codes = np.full((len(series[0]), len(self._variables)), GAP, dtype=np.uint8)
        for variable, column in zip(mine, series, strict=True):
            if not (asking and variable.name == self.target_):
                codes[:, self.network_.index(variable.name)] = codes_of(column, variable)
        return codes

    def _chances_if_smoothed(
        self, codes: Codes, ruled_out: npt.NDArray[np.bool_], target: int
    ) -> Floats:
        """Return the target's chances in records that the networks rule out, with a warning."""
        said = (
            f"{int(ruled_out.sum())} of {len(codes)} records have probability zero in each network"
        )
        if not self.smoothing:
            first = int(ruled_out.argmax()) + 1
            raise ImpossibleEvidenceError(
                f"{said}, the first in row {first}; with a smoothing above 0 they have an answer"
            )
        warn_user(f"{said}; they are answered with smoothing={self.smoothing}", DataWarning)
        smooth = [(weight, smoothed(one, self.smoothing)) for weight, one in self._weighted()]
        return chances(smooth, codes[ruled_out], target)[0]

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without `learned_`, whose members live in the kernels."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "learned_"}

    def __sklearn_tags__(self) -> Tags:
        """Return the tags by which scikit-learn treats the estimator.

        Once fitted to a y, it is also a classifier for scikit-learn's metrics.
        """
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != MissingPolicy.ERROR.value
        tags.classifier_tags = ClassifierTags(multi_class=True)
        if getattr(self, "_has_y", False):
            tags.estimator_type = "classifier"
        return tags
