"""How a raw table became binary: rules that can be written down and applied again."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import polars as pl

from noisyor.core.errors import DataError, FormatError
from noisyor.core.variable import States, check_names
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw_columns import RawColumn, complete_records, numbers_of, texts_of
from noisyor.data.raw_reading import raw_table
from noisyor.data.rule_records import expect_fields, parse_rules, rules_text, texts_in

FORMAT_NAME = "noisyor-binarization"
FORMAT_VERSION = 1

Unknown = Literal["error", "absent"]
"""What to do with a category that the rules have not seen: raise an error, or read it as absent."""


@dataclass(frozen=True, slots=True)
class Split:
    """Present where a number is above a threshold or, if `inclusive`, equal to it.

    `chosen_by` records where the threshold comes from: median, mean or given.
    """

    source: str
    name: str
    states: States
    threshold: float
    inclusive: bool
    chosen_by: str

    def __post_init__(self) -> None:
        """Refuse a threshold that splits nothing."""
        if not math.isfinite(self.threshold):
            raise FormatError(
                f"the threshold of column {self.source!r} is {self.threshold}; it must be finite"
            )

    def binary(self, column: RawColumn, unknown: Unknown) -> pl.Series:
        """Return the column as 0 and 1; text that is not a number is an error, never unknown."""
        del unknown
        numbers = numbers_of(column.values)
        column.refuse(numbers.is_null(), f"the rule {self.name!r} needs a number")
        above = numbers >= self.threshold if self.inclusive else numbers > self.threshold
        return above.cast(pl.Int8).alias(self.name)


@dataclass(frozen=True, slots=True)
class Kept:
    """A column that was already binary; its labels match in any case and are written as here."""

    source: str
    name: str
    states: States

    def binary(self, column: RawColumn, unknown: Unknown) -> pl.Series:
        """Return the column with its two labels."""
        absent, present = self.states
        lower = texts_of(column.values).str.to_lowercase()
        is_present = lower == present.lower()
        if unknown == "error":
            column.refuse(~is_present & (lower != absent.lower()), f"known: {absent}, {present}")
        labels = pl.DataFrame({"p": is_present}).select(
            pl.when("p").then(pl.lit(present)).otherwise(pl.lit(absent)).alias(self.name)
        )
        return labels.to_series()


@dataclass(frozen=True, slots=True)
class Grouped:
    """Present where the category is in the group, absent where it is another known one."""

    source: str
    name: str
    states: States
    present: tuple[str, ...]
    absent: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse a category on both sides."""
        both = sorted(set(self.present) & set(self.absent))
        if both or not self.present:
            raise FormatError(
                f"the rule {self.name!r} needs categories that mean present and are not among "
                f"the absent ones; present: {list(self.present)}, in both: {both}"
            )

    def binary(self, column: RawColumn, unknown: Unknown) -> pl.Series:
        """Return the column as 0 and 1."""
        texts = texts_of(column.values)
        known = (*self.present, *self.absent)
        if unknown == "error":
            column.refuse(
                ~texts.is_in(known),
                f"known: {', '.join(sorted(known))}; unknown='absent' reads any other as absent",
            )
        return texts.is_in(self.present).cast(pl.Int8).alias(self.name)


Rule = Split | Kept | Grouped

_KINDS: dict[str, type[Rule]] = {"split": Split, "keep": Kept, "group": Grouped}


@dataclass(frozen=True, slots=True)
class Binarization:
    """The rules that turn one raw table, and any like it, into a binary one.

    `ignored` names the source columns that no rule reads. Columns of the result are in the order
    of the rules. `records` is how many records the rules were chosen from.
    """

    rules: tuple[Rule, ...]
    ignored: tuple[str, ...] = ()
    records: int = 0

    def __post_init__(self) -> None:
        """Refuse rules that give no table, or two columns of one name."""
        check_names([rule.name for rule in self.rules])

    def sources(self) -> tuple[str, ...]:
        """Return the source columns that the rules read, each once."""
        return tuple(dict.fromkeys(rule.source for rule in self.rules))

    def apply(
        self,
        source: object,
        *,
        unknown: Unknown = "error",
        missing: MissingPolicy | str = MissingPolicy.ERROR,
    ) -> pl.DataFrame:
        """Return the binary table that the rules make of a raw one (see `binarize`)."""
        raw = raw_table(source)
        absent = [source for source in self.sources() if source not in raw.columns]
        if absent:
            raise DataError(
                f"the table has no column {', '.join(map(repr, absent))}, which the rules read; "
                f"it has: {', '.join(raw.columns)}"
            )
        table, records = complete_records(raw.select(self.sources()), missing)
        columns = {name: RawColumn(table[name], records) for name in self.sources()}
        return pl.DataFrame([rule.binary(columns[rule.source], unknown) for rule in self.rules])

    def unread(self, raw: pl.DataFrame) -> tuple[str, ...]:
        """Return the columns of a raw table that the rules neither read nor ignore."""
        known = {*self.sources(), *self.ignored}
        return tuple(name for name in raw.columns if name not in known)

    def to_json(self) -> str:
        """Return the record as text; numbers are written so that they read back exactly."""
        kind_of = {kind: name for name, kind in _KINDS.items()}
        rules = [{"kind": kind_of[type(rule)], **asdict(rule)} for rule in self.rules]
        return rules_text(rules, self.ignored, self.records, FORMAT_NAME, FORMAT_VERSION)

    @classmethod
    def from_json(cls, text: str, where: str) -> "Binarization":
        """Return the rules of a record; `where` names the file in messages."""
        found, ignored, records = parse_rules(text, where, FORMAT_NAME, FORMAT_VERSION)
        rules = tuple(
            _rule_from(one, f"{where}, rule {position}")
            for position, one in enumerate(found, start=1)
        )
        return cls(rules, ignored, records)


def _rule_from(document: object, where: str) -> Rule:
    """Return one rule, each of its fields checked."""
    # A list: its entries are compared, while a key of a dict would have to be hashable.
    if not isinstance(document, dict) or document.get("kind") not in list(_KINDS):
        raise FormatError(f"{where}: 'kind' must be one of {', '.join(_KINDS)}")
    kind = _KINDS[document["kind"]]
    expect_fields(document, {"kind", *kind.__dataclass_fields__}, where, "the rule")
    for field in ("source", "name"):
        if not isinstance(document[field], str):
            raise FormatError(f"{where}: {field!r} is {document[field]!r}; it must be text")
    source, name = document["source"], document["name"]
    states = texts_in(document["states"], where, "states")
    if len(states) != 2 or states[0] == states[1]:  # noqa: PLR2004  (the labels of 0 and 1)
        raise FormatError(f"{where}: 'states' is {list(states)}; it must be two different labels")
    labels = (states[0], states[1])
    if kind is Split:
        return _split_from(document, where, source, name, labels)
    if kind is Kept:
        return Kept(source, name, labels)
    groups = [texts_in(document[field], where, field) for field in ("present", "absent")]
    return Grouped(source, name, labels, groups[0], groups[1])


def _split_from(
    document: dict[str, Any], where: str, source: str, name: str, states: States
) -> Split:
    threshold, inclusive = document["threshold"], document["inclusive"]
    if type(threshold) not in {int, float}:
        raise FormatError(f"{where}: 'threshold' is {threshold!r}; it must be a number")
    if type(inclusive) is not bool:
        raise FormatError(f"{where}: 'inclusive' is {inclusive!r}; it must be true or false")
    return Split(source, name, states, float(threshold), inclusive, str(document["chosen_by"]))
