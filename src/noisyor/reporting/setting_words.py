"""The settings of a run and what it counted, in words that a reader knows.

What is not listed here is shown under its own key: a new setting is never lost.
"""

from collections.abc import Callable, Mapping

from noisyor.core import NoisyorError, Prior
from noisyor.core.relations import all_relations
from noisyor.reporting.relation_style import relation_words
from noisyor.reporting.words import value_words

_METHODS = {
    "table": "all families are scored, then searched",
    "price": "families are scored as the search asks for them",
    "layers": "with at most 1, 2, 3, ... parents, by price",
}

_SCORES = {
    "bic": "BIC",
    "aic": "AIC",
    "ebic": "extended BIC",
    "bdeu": "BDeu",
    "bds": "BDs",
    "k2": "K2",
    "qnml": "qNML",
}

_LABELS = {"best": "graphs", "all": "graphs with relations"}

_LABEL_OF_SETTING = {
    "score": "Score",
    "relations": "Relations that compete",
    "bayes_factor": "Bayes factor",
    "labels": "What counts as a network",
    "method": "Method",
    "constraints": "Constraints",
    "structure_prior": "Prior of arcs and relations",
    "prior": "Prior",
    "missing": "Missing cells",
    "bootstrap": "Resampled tables",
}

_LABEL_OF_COUNT = {
    ("noisyor",): "Version of noisyor",
    ("costliest",): "Cost of the costliest credible network",
    ("search", "given"): "Families given to the search",
    ("search", "reduced"): "Families after reduction",
    ("search", "used"): "Families in credible networks",
    ("search", "lp", "bound"): "Bound by linear programming",
    ("search", "lp", "gap"): "Its distance from the optimum",
    ("search", "lp", "rounds"): "Rounds of linear programming",
    ("search", "lp", "cuts"): "Cuts of linear programming",
    ("search", "branches"): "Branches of the proof",
    ("search", "subsets"): "Subsets of variables visited",
    ("search", "nodes"): "Nodes of the search for members",
    ("climbing", "turns"): "Climbs of the local search",
    ("climbing", "steps"): "Steps of the local search",
    ("climbing", "evaluated"): "Families scored by the local search",
    ("pricing", "rounds"): "Rounds of pricing",
    ("pricing", "families_seeded"): "Families before pricing",
    ("pricing", "families_known"): "Families with proven bounds",
    ("pricing", "families_collected"): "Families after pricing",
    ("pricing", "lower_bound"): "Bound by linear programming",
    ("pricing", "lp_gap"): "Its distance from the best network",
    ("pricing", "gap"): "That distance after branching",
    ("pricing", "cuts"): "Cuts of linear programming",
    ("pricing", "branches"): "Branches of the proof",
    ("pricing", "nodes"): "Nodes of the proof",
    ("pricing", "seconds", "seed"): "Seconds for the first families",
    ("pricing", "seconds", "bounds"): "Seconds for bounds",
    ("pricing", "seconds", "pricing"): "Seconds for pricing",
    ("members_written",): "Networks listed in files",
}

REPEATED = {
    "noisy_or",
    "causes_percent",
    "variables",
    "records",
    "method",
    "labels",
    "networks_at_most",
    "sampling",
}
"""Keys of the run that the settings, the picture or the facts of the proof say as well."""


def setting_label(key: str) -> str:
    """Return the words for the name of a setting."""
    return _LABEL_OF_SETTING.get(key) or _capitalised(key)


def setting_value(key: str, value: object) -> str:
    """Return the words for the value of a setting."""
    words = _VALUES.get(key)
    return words(value) if words and isinstance(value, str) else value_words(value)


def count_label(path: tuple[str, ...]) -> str | None:
    """Return the words for something that a run counted; None for a key that is not known."""
    return _LABEL_OF_COUNT.get(path)


def _capitalised(key: str) -> str:
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:]


def _relations(names: str) -> str:
    known = {relation.name for relation in all_relations()}
    return ", ".join(relation_words(one) if one in known else one for one in names.split(","))


def _number(text: str) -> str:
    try:
        return value_words(float(text))
    except ValueError:
        return text


def _score(text: str) -> str:
    name, bracket, number = text.partition("(")
    return _SCORES.get(name, name) + bracket + number


def _prior(text: str) -> str:
    try:
        return Prior.parse(text).words()
    except NoisyorError:  # of another version
        return text


_VALUES: Mapping[str, Callable[[str], str]] = {
    "score": _score,
    "structure_prior": _prior,
    "relations": _relations,
    "bayes_factor": _number,
    "temperature": _number,
    "labels": lambda name: _LABELS.get(name, name),
    "method": lambda name: _METHODS.get(name, name),
}
