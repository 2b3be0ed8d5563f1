"""Arguments of public functions are checked, all alike, before anything is done with them."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisyor
from noisyor.core.arguments import checked_arguments
from noisyor.core.errors import SettingsError


@checked_arguments
def example(  # noqa: PLR0913
    source: object,
    count: int = 1,
    *,
    limit: float | None = None,
    quiet: bool = False,
    names: Iterable[str] = (),
    by_name: Mapping[str, float] | None = None,
    path: str | Path = "",
    call: Callable[[int], None] | None = None,
    model: noisyor.Network | None = None,
) -> tuple[Any, ...]:
    return source, count, limit, quiet, names, by_name, path, call, model


@pytest.mark.parametrize(
    "given",
    [
        {"count": np.int64(3)},
        {"limit": 3},
        {"limit": np.float32(3)},
        {"quiet": np.True_},
        {"names": np.array(["a"])},
        {"names": "text"},
        {"by_name": {}},
        {"path": Path("a")},
        {"call": print},
    ],
)
def test_what_is_of_the_kind_passes(given: dict[str, Any]) -> None:
    assert set(given) <= set(inspect.signature(example).parameters)
    assert (
        next(iter(given.values()))
        is example(1, **given)[list(inspect.signature(example).parameters).index(next(iter(given)))]
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"count": "2"}, "count is '2'; it must be a whole number"),
        ({"count": 2.0}, "count is 2.0; it must be a whole number"),
        ({"count": True}, "count is True; it must be a whole number"),
        ({"limit": "10"}, "limit is '10'; it must be a number or None"),
        ({"quiet": 1}, "quiet is 1; it must be True or False"),
        ({"names": 5}, "names is 5; it must be a list"),
        ({"by_name": ["a"]}, "by_name is ['a']; it must be a mapping or None"),
        ({"path": 3}, "path is 3; it must be text or a path"),
        ({"call": 3}, "call is 3; it must be a function or None"),
        ({"model": "m.bif"}, "model is 'm.bif'; it must be a Network or None"),
    ],
)
def test_what_is_not_is_refused_in_words(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        example(None, **given)
    assert str(caught.value) == message


def test_positional_arguments_are_checked_and_defaults_are_not() -> None:
    with pytest.raises(SettingsError, match="count is None"):
        example(None, None)  # type: ignore[arg-type]
    assert example(1) == (1, 1, None, False, (), None, "", None, None)


def test_long_values_are_cut_and_stay_on_a_line() -> None:
    with pytest.raises(SettingsError) as caught:
        example(None, "a\n" * 1000)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 120


PUBLIC = [
    name
    for name in noisyor.__all__
    if inspect.isfunction(getattr(noisyor, name))
    and inspect.signature(getattr(noisyor, name)).parameters
]


class Nothing:
    def __repr__(self) -> str:
        return "nothing"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_is_checked(name: str) -> None:
    function = getattr(noisyor, name)
    given = {one: Nothing() for one in inspect.signature(function).parameters}
    with pytest.raises(SettingsError, match=" is nothing; it must be "):
        function(**given)


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("time_limit", "10", "a number or None"),
        ("jobs", "2", "a whole number or None"),
        ("bayes_factor", "20", "a number or a BayesFactor"),
        ("seed", "a", "a whole number"),
        ("method", 3, "one of: auto, table, price, layers"),
    ],
)
def test_learn_says_what_is_allowed(option: str, value: object, allowed: str) -> None:
    options: dict[str, Any] = {option: value}
    with pytest.raises(SettingsError, match=f"^{option} is {value!r}; it must be {allowed}$"):
        noisyor.learn(noisyor.load_example("clinic"), quiet=True, **options)


def test_methods_of_a_result_are_checked() -> None:
    learned = noisyor.learn(noisyor.load_example("clinic"), 1, quiet=True)
    wrong: Any = "5"
    with pytest.raises(SettingsError, match="most is '5'; it must be a whole number"):
        learned.networks(most=wrong)
    with pytest.raises(SettingsError, match="given is '5'; it must be a mapping or None"):
        learned.query(["flu"], wrong)
