"""Names in a picture: short, and never cut inside a sign."""

import pytest

from noisyor.reporting.short_labels import short_label


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("cough", "cough"),
        ("x" * 200, "x" * 13 + "…"),
        ("WWWWWWWWWWWWWWW", "WWWWWWWW…"),
        ("two\nlines\there", "two lines here"),
        ("中文的变量名字长", "中文的变量名…"),
        ("e\u0301" * 20, "e\u0301" * 13 + "…"),
    ],
)
def test_long_names_are_cut_between_signs(name: str, label: str) -> None:
    assert short_label(name) == label


def test_an_emoji_of_several_parts_is_not_cut_inside() -> None:
    family = "👩\u200d👩\u200d👧"
    assert short_label(family * 10) == family * 6 + "…"
