"""Arc strengths from a bootstrap as JSON, which a run's folder keeps."""

from noisyor.core.bootstrap import Bootstrap, BootstrapArc
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.json_place import JsonPlace
from noisyor.formats.network_parts_json import VERSION, check_kind

KIND = "noisyor bootstrap"
_ARC = ("parent", "child", "share", "standard_error", "weight", "weight_error")


def bootstrap_content(found: Bootstrap) -> dict[str, object]:
    """Return a bootstrap as JSON types."""
    return {
        "asked": found.asked,
        "resamples": found.resamples,
        "seed": found.seed,
        "unproven": found.unproven,
        "weighted": found.weighted,
        "arcs": [{key: getattr(arc, key) for key in _ARC} for arc in found.arcs],
    }


def bootstrap_json(found: Bootstrap) -> str:
    """Return a bootstrap as JSON text, from which `parse_bootstrap_json` makes an equal one."""
    names = list(found.names)
    return document_text(
        {"format": KIND, "version": VERSION, "names": names, **bootstrap_content(found)}
    )


def parse_bootstrap_json(text: str) -> Bootstrap:
    """Return the bootstrap in a JSON text; a FormatError says what is wrong, and where."""
    document = read_document(text)
    check_kind(document, KIND)
    fields = document.fields(
        *(
            "format",
            "version",
            "names",
            "asked",
            "resamples",
            "seed",
            "unproven",
            "weighted",
            "arcs",
        )
    )
    names = tuple(one.text() for one in fields["names"].entries())
    try:
        return Bootstrap(
            names,
            fields["asked"].whole_number(1),
            fields["seed"].whole_number(0),
            fields["resamples"].whole_number(0),
            fields["unproven"].whole_number(0),
            fields["weighted"].whole_number(0),
            tuple(_arc(one, frozenset(names)) for one in fields["arcs"].entries()),
        )
    except ValueError as error:
        raise document.wrong(f"contradicts itself: {error}") from error


def _arc(place: JsonPlace, names: frozenset[str]) -> BootstrapArc:
    fields = place.fields(*_ARC)
    for key in ("parent", "child"):
        if fields[key].text() not in names:
            raise fields[key].wrong(f"is {fields[key].text()!r:.60}, which is not a variable")
    weight, error = fields["weight"], fields["weight_error"]
    return BootstrapArc(
        fields["parent"].text(),
        fields["child"].text(),
        fields["share"].probability(),
        fields["standard_error"].number(),
        None if weight.value is None else weight.probability(),
        None if error.value is None else error.number(),
    )
