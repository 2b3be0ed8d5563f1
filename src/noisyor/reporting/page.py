"""The report as one HTML file, which loads nothing and treats every name as plain text.

Tests and other programs may rely on these parts of the page:

- `#incomplete`: the banner that says what is incomplete; absent if nothing is.
- `#found`: what was found, in sentences.
- `#view-averaged`, `#view-best`, `#view-members`: buttons that choose what the picture shows, the
  chosen one with `aria-pressed="true"`; `#picture` (an svg) repeats it as `data-view`, one of
  `averaged`, `best`, `members`.
- `#threshold`: the slider of the averaged network, in percent of the weight (1 to 100, at first
  50); `#threshold-value` says it in words. Used only in the averaged view.
- `#member-previous`, `#member-next`: buttons of the members view (also the arrow keys left and
  right); `#member-number`: which member, a number from 1; `#member-status`: its cost in words.
- `#picture-status`: what the picture shows, in one sentence, announced to screen readers.
- `[data-node="2"]`: a node of the picture, by the variable's number from 0, with
  `data-relation`, the name of the relation as shown; click, Enter or Space opens the panel, and
  arrow keys lead to other nodes.
- `[data-arc="0-2"]`: an arc of the picture, parent and child, with `data-shown` `yes` or `no`. Arcs
  that have less than 1% of the weight, and that no listed member has, are only in the table.
- `#as-text`: the same picture as a table, a row `tr[data-text-node="2"]` per variable.
- `#panel`: about one node, with `data-open-node`, empty at first; `#panel-title`; `#panel-close`;
  `#panel-families` with a button `[data-family="5"]` per family (its place in the content's
  families), the chosen one with `aria-pressed="true"`; `#panel-detail` with that family's
  parameters: `[data-configuration="3"]` a row of a table (`data-unseen` where no record has it),
  `[data-cause="0"]` a cause, by its variable, or `leak`, with its `data-state` and `data-effect`,
  the state of the child that it brings about, both with their probability in `data-probability`
  (of a child of more than two states, a row of a table has a cell `[data-chance="2"]` for each);
  `[data-parameter="0"]` a parameter of any other relation, with its
  `data-value`.
- `#arcs`: the table of arcs, a row `tr[data-row="0-2"]` each, with buttons `[data-sort="weight"]`
  (`parent`, `child`, `weight`, `fraction`) in its head.
- `#ask`: the live answers, with `aria-busy`. `[data-variable="2"][data-set-state="1"]` is a button
  that sets a state or takes it back (`aria-pressed`), with the chance of the state as `data-mean`,
  `data-least` and `data-most`. `#ask-reset`; `#ask-given` with a button `[data-take-back="2"]` for
  each finding; `#ask-status`; `#ask-explained` with `[data-explained="2"]`, the most probable
  states, and `#ask-posterior`; `#ask-every` and `#ask-diagnosis`, the two views. In the second,
  `[data-target="2"]` chooses a target and `[data-finding="3"]` is a finding, with its value in
  `data-drop` and `data-share`. The fragment of the address has `given.NAME=STATE` for each finding
  and `target=NAME`.
- `#save-svg`, `#save-png`, `#save-arcs` and `#save-chances`: buttons that save files.
- `#run`: how the run went.
- `#report-data`: the content, as JSON, without what the run's summary repeats and without the
  lightest of very many arcs; `#report-looks`: the words and classes of relations.

The page of more than 15 variables also has

- `#explorer`: `#find`, the search box (a combobox, with the variables found as `[data-found="2"]`
  in `#find-list`); `#scope-near` and `#scope-whole`, which show the neighbourhood of the chosen
  variable or the whole network; `#steps`, how far the neighbourhood reaches; `#zoom-in`,
  `#zoom-out`, `#zoom-fit` and `#zoom-value`. Nodes and arcs outside of the neighbourhood are
  `hidden`.
- in the panel `#panel-near`, which shows the neighbourhood of its variable, `#panel-arcs`, which
  lists its arcs in the table, and `#panel-relatives` with a button `[data-relative="2"]` for each
  parent, child and spouse.
- `#arc-filter`, `#arcs-more` and `#arcs-shown`: which arcs the table shows, and how many.

With more than 100 variables, `#picture` (`data-layout="compact"`) has only the arcs of the best
network and those shown at first; the script adds others when they are shown.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from noisyor.core import BIC, FormatError, Relation
from noisyor.core.relation_looks import Shape, look_of
from noisyor.core.relations import all_relations, relation_named
from noisyor.core.version import VERSION as NOISYOR_VERSION
from noisyor.reporting.content import FORMAT, VERSION
from noisyor.reporting.content_check import check_content
from noisyor.reporting.findings import findings
from noisyor.reporting.page_arcs import arc_rows, arcs_words, rows_words, with_held_arcs
from noisyor.reporting.page_ask import ask_section
from noisyor.reporting.page_head import page_head
from noisyor.reporting.picture import LEAST_THRESHOLD, kinds_of, picture_of
from noisyor.reporting.relation_style import colour_rules, legend_entries, script_looks
from noisyor.reporting.run_section import run_section

if TYPE_CHECKING:
    from jinja2 import Environment

INFERENCE_SCRIPTS = ("tables.js", "elimination.js", "factors.js", "propagation.js", "answers.js")
"""The scripts that answer questions, each using those before it; they know nothing of the page."""

ALWAYS = ("picture_keys.js", "downloads.js", "family_panel.js", "arc_table.js", "report.js")
"""The scripts of every page; the last one starts the others."""

_SLIGHTEST = 1e-9  # a share that is more than rounding
_ELSEWHERE_IN_DATA = {"best", "edges"}  # keys of the run that repeat the set's

Json = Mapping[str, Any]


def report_html(content: Json) -> str:
    """Return the page of a report's content: one file that needs no other.

    Raises FormatError if the content is of another kind or shape, or of an unknown version.
    """
    _check_kind(content)
    check_content(content)
    from markupsafe import Markup  # noqa: PLC0415  (comes with jinja2, which a report alone needs)

    picture = picture_of(content)
    # Wide pictures scroll: names that shrink with them would be illegible.
    least_width = f"#picture {{ min-width: {picture['least_width']}px; }}\n"
    relations = _relations(content)
    ask = ask_section(content)
    sheets, scripts = _parts(is_large=picture["is_large"], is_asked=ask is not None)
    style = _assets(*sheets) + colour_rules(relations) + least_width
    script = _assets(*scripts)
    held = _held(content)
    known, run = content["set"], content["run"]
    page = environment().get_template("report.html.j2")
    return page.render(
        policy=_policy(style, script),
        # Our own files, and JSON without any character that is special in HTML.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        data=Markup(embedded_json(held)),  # noqa: S704
        looks=Markup(embedded_json(script_looks(relations))),  # noqa: S704
        icon=_icon(),
        **page_head(content),
        findings=findings(content),
        is_alone=known is None,
        members=len(content["members"]),
        more_members=known is not None and known["networks"] > len(content["members"]),
        picture=picture,
        ask=ask,
        hexagons=any(look_of(one).shape is Shape.HEXAGON for one in relations),
        least_percent=round(100 * LEAST_THRESHOLD),
        relations=legend_entries(_drawn_relations(content), _states_by_relation(content)),
        arcs=arc_rows(content),
        arcs_words=arcs_words(content),
        arcs_shown=rows_words(content),
        sampled=known is not None and known["sampling"] is not None,
        bootstrapped=content["bootstrap"] is not None,
        arcs_total=len(content["arcs"]),
        run=None if known is None else run_section(run, known),
        version=NOISYOR_VERSION,
        is_bic=_is_bic(run),
    )


def _parts(*, is_large: bool, is_asked: bool) -> tuple[list[str], list[str]]:
    """Return the style sheets and scripts that a page needs, in order."""
    sheets, scripts = ["report.css", "picture.css"], []
    if is_large:
        sheets.append("explorer.css")
        scripts += ["layout.js", "explorer.js"]
    if is_asked:
        sheets.append("ask.css")
        scripts += [*INFERENCE_SCRIPTS, "ask.js", "diagnosis.js", "live.js"]
    return sheets, [*scripts, *ALWAYS]


def _held(content: Json) -> dict[str, Any]:
    """Return the content that the page holds: without repetitions, and not too many arcs."""
    run = {key: one for key, one in content["run"].items() if key not in _ELSEWHERE_IN_DATA}
    return {**with_held_arcs(content), "run": run}


def embedded_json(value: object) -> str:
    """Return JSON that is safe inside an HTML script element: it cannot end it or open another."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _check_kind(content: Json) -> None:
    if content.get("format") != FORMAT:
        raise FormatError(
            f"the content of a report has the format {FORMAT!r}; this has "
            f"{content.get('format')!r:.60}"
        )
    if content.get("version") != VERSION:
        raise FormatError(
            f"the content of a report is written in version {content.get('version')!r:.60}; this "
            f"noisyor reads {VERSION}"
        )


def _policy(style: str, script: str) -> str:
    """Return the content security policy: the browser may run our script and load nothing."""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def asset(name: str) -> str:
    """Return the text of a style sheet, a script or an icon."""
    return files("noisyor.reporting").joinpath("assets", name).read_text(encoding="utf-8")


def _assets(*names: str) -> str:
    return "".join(asset(name) for name in names)


def _icon() -> str:
    return f"data:image/svg+xml,{quote(asset('icon.svg').strip())}"


def environment() -> "Environment":
    """Return the templates; every value in them is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415

    folder = files("noisyor.reporting").joinpath("templates")
    return Environment(
        loader=FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _is_bic(run: Json) -> bool:
    """Return whether a run used BIC, as one that names no score did."""
    settings = run.get("settings")
    return not isinstance(settings, Mapping) or settings.get("score", BIC.name) == BIC.name


def _relations(content: Json) -> list[Relation]:
    used = {family["relation"] for family in content["families"]}
    used |= {name for node in content["nodes"] for name in node["relations"]}
    return [relation for relation in all_relations() if relation.name in used]


def _drawn_relations(content: Json) -> list[Relation]:
    """Return the relations that some node with parents has."""
    drawn = {
        kind
        for number in range(len(content["variables"]))
        for kind, weight in kinds_of(content, number).items()
        if weight > _SLIGHTEST
    }
    return [relation for relation in all_relations() if relation.name in drawn]


def _states_by_relation(content: Json) -> dict[Relation, set[int]]:
    """Return how many states the children of each relation have."""
    found: dict[Relation, set[int]] = {}
    for variable, node in zip(content["variables"], content["nodes"], strict=True):
        for name in node["relations"]:
            found.setdefault(relation_named(name), set()).add(len(variable["states"]))
    return found
