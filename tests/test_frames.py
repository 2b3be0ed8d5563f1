"""Every kind of frame passes every public function that takes one, with the same result."""

import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import noisyor
from noisyor.estimator import CredibleNetwork

RECORDS = 60
WISHES: dict[str, Any] = {"present": {"sex": "f"}, "drop": ["visit"]}


def _table() -> pl.DataFrame:
    """Return whole numbers, measurements, booleans, two texts, categories and dates."""
    random = np.random.default_rng(4)
    flu = random.random(RECORDS) < 0.4
    days = pl.date(2024, 1, 1) + pl.duration(days=pl.int_range(RECORDS) % 3)
    return pl.DataFrame(
        {
            "flu": flu.astype(np.int64),
            "cough": np.where(flu, random.random(RECORDS) < 0.9, random.random(RECORDS) < 0.2),
            "age": random.integers(0, 80, RECORDS),
            "fever": random.normal(37.5, 0.8, RECORDS).round(2),
            "sex": random.choice(["f", "m"], RECORDS),
            "ward": pl.Series(random.choice(["a", "b", "c"], RECORDS), dtype=pl.Categorical),
        }
    ).with_columns(visit=days)


TABLE = _table()
FRAMES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "pandas, numpy": lambda frame: frame.to_pandas(),
    "pandas, arrow": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
    "pandas, nullable": lambda frame: frame.to_pandas().convert_dtypes(),
    "polars": lambda frame: frame,
    "polars, lazy": lambda frame: frame.lazy(),
    "pyarrow": lambda frame: frame.to_arrow(),
}
BINARY = TABLE.select("flu", "cough", "sex")
NETWORK = noisyor.learn(BINARY, present={"sex": "f"}, quiet=True)
GAPS = BINARY.with_columns(
    pl.when(pl.int_range(RECORDS) % 7 == 0).then(None).otherwise("sex").alias("sex")
)


def _estimated(frame: Any) -> list[float]:  # noqa: ANN401  (any kind of frame)
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()  # an estimator takes what has rows
    fitted = CredibleNetwork(target="cough").fit(frame)
    return [round(float(one), 9) for one in fitted.predict_proba(frame)[:, 1]]


CALLS: dict[str, tuple[pl.DataFrame, Callable[[Any], object]]] = {
    "read": (TABLE, lambda frame: noisyor.read(frame, **WISHES)),
    "read_incomplete": (
        GAPS,
        lambda frame: noisyor.read_incomplete(frame, present={"sex": "f"}),
    ),
    "read_raw": (TABLE, lambda frame: noisyor.read_raw(frame).drop("ward", "visit").rows()),
    "binarize": (
        TABLE.drop("visit"),
        lambda frame: noisyor.binarize(frame)[0].rows(),
    ),
    "Binarization.apply": (
        TABLE.drop("visit"),
        lambda frame: noisyor.binarize(TABLE.drop("visit"))[1].apply(frame).rows(),
    ),
    "discretize": (TABLE, lambda frame: noisyor.discretize(frame)[1].to_json()),
    "Binning.apply": (
        TABLE.select("age", "fever"),
        lambda frame: noisyor.discretize(TABLE.select("age", "fever"))[1].apply(frame).rows(),
    ),
    "learn": (
        TABLE,
        lambda frame: noisyor.learn(frame, **WISHES, quiet=True).optimum,
    ),
    "fit": (BINARY, lambda frame: noisyor.fit(NETWORK.best, frame, prior_weight=5).cost),
    "impute": (GAPS, lambda frame: noisyor.impute(frame, NETWORK)[0].cast(pl.String).rows()),
    "calibrate": (
        BINARY.drop("sex"),
        lambda frame: noisyor.calibrate(frame, resamples=3, quiet=True).temperature,
    ),
    "compare_scores": (
        BINARY.drop("sex"),
        lambda frame: noisyor.compare_scores(frame, scores=["bic"], folds=2, quiet=True).summary(),
    ),
    "CredibleNetwork": (BINARY.drop("sex"), _estimated),
}


@pytest.mark.parametrize("function", CALLS)
def test_every_frame_passes_every_function(function: str) -> None:
    table, call = CALLS[function]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", noisyor.DataWarning)
        found = {kind: call(frame(table)) for kind, frame in FRAMES.items()}
    expected = found["polars"]
    assert found == dict.fromkeys(FRAMES, expected)


def _truths(kind: str, folder: Path) -> Any:  # noqa: ANN401  (any kind of source)
    """Return a table of truths as a frame of some library, or as the file that it writes."""
    frame = pl.DataFrame(
        {"flu": [True, False, True, False, True], "cough": [True, False, True, True, False]}
    )
    if kind in FRAMES:
        return FRAMES[kind](frame)
    if kind == "numpy":
        return frame.to_numpy()
    if kind == "pandas, objects":
        return frame.to_pandas().astype(object)
    if kind == "pandas, categories":
        return frame.to_pandas().astype("category")
    path = folder / "truths.csv"
    if kind == "file of polars":
        frame.write_csv(path)  # true
    elif kind == "file of pandas":
        frame.to_pandas().to_csv(path, index=False)  # True
    else:
        assert kind == "file of R"
        path.write_text(frame.write_csv().replace("true", "TRUE").replace("false", "FALSE"))
    return path


TRUTHS = [
    *FRAMES, "numpy", "pandas, objects", "pandas, categories",
    "file of polars", "file of pandas", "file of R",
]  # fmt: skip


@pytest.mark.parametrize("kind", TRUTHS)
def test_truths_are_the_same_states_whichever_way_they_come(kind: str, tmp_path: Path) -> None:
    expected = noisyor.learn(_truths("polars", tmp_path), quiet=True)
    source = _truths(kind, tmp_path)
    data = noisyor.read(source, names=["flu", "cough"] if kind == "numpy" else None)
    assert data == expected.data
    assert data.states == (("false", "true"), ("false", "true"))
    assert noisyor.binarize(source)[1].rules[0].states == ("false", "true")
    learned = noisyor.learn(data, quiet=True)
    said: list[Any] = [True, np.True_, 1, "true", "True", "TRUE"]
    answers = [learned.query(["flu"], {"cough": one})["flu"]["true"] for one in said]
    assert set(answers) == {expected.query(["flu"], {"cough": True})["flu"]["true"]}


def test_no_function_is_left_out() -> None:
    takes_any = set()
    for name in noisyor.__all__:
        public = getattr(noisyor, name)
        if inspect.isfunction(public):
            first_two = list(inspect.signature(public).parameters.values())[:2]
            if any(one.annotation is object for one in first_two):
                takes_any.add(name)
    assert takes_any
    assert takes_any <= set(CALLS)


def test_a_frame_that_is_none_is_refused_in_the_words_of_python() -> None:
    with pytest.raises(
        noisyor.DataError, match="cannot be read from dict; allowed: a path, a frame"
    ):
        noisyor.read({"a": [0, 1]})
    frame = pd.DataFrame({"who": [f"p{number}" for number in range(70)], "b": [0, 1] * 35})
    with pytest.raises(noisyor.DataError, match=r"leave it out: drop=\['who'\]"):
        noisyor.learn(frame, quiet=True)
