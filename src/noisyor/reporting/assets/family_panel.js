// What the panel of a node says about one family: its full table, its causes, or its other parameters.
// `page` holds what the rest of the script shares with it.
const makeFamilyPanel = (page) => {
  "use strict";
  const { variables, looks, isAlone, tag, svg, nameOf, counted, countWords, chanceWords, nats, bar, isBinary, wordsOf } = page;

  function chance(...marks) {
    return svg("svg", { class: "chance", viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "track", y: 4, width: 100, height: 6 }), ...marks);
  }
  const hatching = () =>
    Array.from({ length: 17 }, (_, at) => svg("path", { class: "hatch", d: `M${6 * at} 10L${6 * at + 3} 4`, "vector-effect": "non-scaling-stroke" }));

  // A full table: a row per configuration of the parents, the first of which varies fastest.
  function tableParts(family) {
    const { configurations, chances, records, left_out: leftOut } = family.parameters;
    const own = variables[family.child].states;
    const tilted = (...words) => tag("div", { class: "tilted" }, ...words);
    const columns = isBinary(family.child)
      ? [tag("th", { scope: "col", colspan: 2 }, "chance of ", tag("bdi", {}, own[1]))]
      : own.map((label) => tag("th", { scope: "col", title: label }, tilted(tag("bdi", {}, label))));
    const head = tag("tr", {}, ...family.parents.map((parent) =>
      tag("th", { scope: "col", title: variables[parent].name }, tilted(nameOf(parent)))),
      ...columns, ...(records ? [tag("th", { scope: "col" }, "records")] : []));
    const rows = configurations.map((configuration, at) => {
      const unseen = records !== null && records[at] === 0;
      return tag("tr", { "data-configuration": configuration, "data-probability": isBinary(family.child) ? chances[at][0] : null,
        "data-unseen": unseen ? "yes" : null },
        ...stateCells(family, configuration), ...chanceCells(family.child, chances[at], unseen),
        ...(records ? [tag("td", { class: "records" }, countWords(records[at]))] : []));
    });
    const parts = [tag("h4", {}, family.parents.length ? "Its full table" : "Without parents"),
      tag("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "The table" },
        tag("table", { class: "table-rows" }, tag("thead", {}, head), tag("tbody", {}, ...rows)))];
    if (family.parents.some(isBinary)) parts.push(tag("p", { class: "scale" }, tag("span", {}, "● present  ○ absent")));
    if (leftOut) parts.push(tag("p", { class: "hint" }, `${counted(leftOut, "more row")}${records ? " with fewer records" : ""} left out.`));
    return parts;
  }

  function stateCells(family, configuration) {
    let rest = configuration;
    return family.parents.map((parent) => {
      const { name, states } = variables[parent];
      const on = rest % states.length;
      rest = Math.floor(rest / states.length);
      const words = `${name}: ${states[on]}`;
      if (!isBinary(parent)) return tag("td", { class: "state", title: words }, tag("bdi", {}, states[on]));
      return tag("td", { title: words }, tag("span", { class: on ? "dot" : "dot absent", "aria-hidden": "true" }, on ? "●" : "○"),
        tag("span", { class: "off" }, states[on]));
    });
  }

  function chanceCells(child, row, unseen) {
    if (isBinary(child)) {
      const mark = unseen ? chance(...hatching()) : chance(svg("rect", { class: "fill", y: 4, width: 100 * row[0], height: 6 }));
      return [tag("td", { class: "bar-cell" }, mark), tag("td", { class: "value" }, unseen ? "no record" : chanceWords(row[0]))];
    }
    if (unseen) return [tag("td", { class: "value", colspan: row.length + 1 }, "no record")];
    // The first state has the rest, up to the rounding of the others to six digits.
    const rest = 1 - row.reduce((sum, value) => sum + value, 0);
    return [rest < 1e-5 ? 0 : rest, ...row].map((value, at) => tag("td", { class: "number", "data-chance": at, "data-value": value }, chanceWords(value), bar(value)));
  }

  // A relation that is neither a table nor has causes: its parameters in its own order.
  function parameterParts(family) {
    const items = family.parameters.values.map((value, at) =>
      tag("li", { "data-parameter": at, "data-value": value }, value.toLocaleString("en", { maximumSignificantDigits: 4 })));
    return [tag("h4", {}, "Its parameters"), tag("ol", { class: "parameters" }, ...items)];
  }

  // So many causes are listed openly; more are folded.
  const MOST_OPEN = 16;

  // Causes: how strong each one is, with its interval, and why the relation won.
  function causeParts(family) {
    const { explained, left_out: leftOut } = family.parameters;
    const items = family.parameters.parents.map((_, at) => causeItem(family, at));
    const { lowers } = looks[family.relation];
    const heading = isBinary(family.child)
      ? (lowers ? "How often it fails" : "How strong each cause is")
      : `How strongly each cause ${lowers ? "lowers" : "raises"} it`;
    const listed = items.length > MOST_OPEN ? items.splice(0, MOST_OPEN) : items.splice(0);
    const parts = [tag("h4", {}, heading), tag("ul", { class: "causes" }, ...listed),
      ...(items.length ? [tag("details", {}, tag("summary", {}, `${counted(items.length, "more cause")}`), tag("ul", { class: "causes" }, ...items))] : []),
      ...(leftOut ? [tag("p", { class: "hint" }, `${counted(leftOut, "weaker one")} left out.`)] : []),
      tag("div", { class: "scale", "aria-hidden": "true" }, tag("span", {}, "0 never acts"), tag("span", {}, "1 always acts"))];
    if (!explained) {
      if (!family.note && !isAlone) parts.push(tag("p", { class: "hint" }, "Intervals are computed only for the best network and the heaviest families of a node."));
      return parts;
    }
    const words = wordsOf(family.relation, family.child);
    parts.push(tag("h4", {}, explained.preferred ? `Why ${words} won` : "Against the full table"), ...balanceParts(explained, words),
      tag("details", {}, tag("summary", {}, "In words"), ...explained.sentences.map((one) => tag("p", {}, one))));
    return parts;
  }

  const stateWords = ({ name, states, presence }, at) =>
    (presence === null ? `${name} = ${states[at]}` : at === presence ? name : `no ${name}`);

  // A cause as its own line names it: a state, or what a noisy-AND lacks.
  function causeWords(family, parent, at) {
    const fails = looks[family.relation].lowers && isBinary(family.child);
    if (parent === null) return fails ? "with all that is needed" : "anything else (leak)";
    const variable = variables[parent];
    if (!fails) return stateWords(variable, at);
    return variable.presence !== null && at !== variable.presence ? `without ${variable.name}` : `with ${stateWords(variable, at)}`;
  }

  function causeItem(family, at) {
    const { parents, states, effects, strengths, unseen, explained } = family.parameters;
    const [parent, acting, effect, strength] = [parents[at], states[at], effects[at], strengths[at]];
    const known = explained ? explained.determined[at] : !unseen.includes(at);
    const marks = [];
    let under = "";
    if (!known) {
      marks.push(...hatching());
    } else if (explained) {
      const [low, high] = [explained.lower[at], explained.upper[at]];
      marks.push(svg("rect", { class: "interval", x: 100 * low, y: 1, width: Math.max(100 * (high - low), 0.6), height: 12 }));
      under = ` (${chanceWords(low)} to ${chanceWords(high)})`;
    }
    const left = Math.min(Math.max(100 * strength - 0.6, 0), 98.8);
    if (known) marks.push(svg("rect", { class: "point", x: left, y: 0, width: 1.2, height: 14 }));
    const name = [tag("bdi", {}, causeWords(family, parent, acting))];
    if (!isBinary(family.child)) name.push(" → ", tag("bdi", {}, variables[family.child].states[effect]));
    const number = known ? [chanceWords(strength), tag("small", {}, under)] : [tag("small", {}, "no record says")];
    return tag("li", { "data-cause": parent === null ? "leak" : parent, "data-state": acting, "data-effect": effect, "data-probability": strength },
      tag("div", { class: "name" }, tag("span", {}, ...name), tag("span", { class: "number" }, ...number)),
      chance(...marks));
  }

  function balanceParts(explained, own) {
    if (!explained.table) {
      return [tag("p", {}, `The full table is too large to be fitted; its penalty alone would be ${nats(explained.table_penalty)} nats, the ${own} costs ${nats(explained.own.fit + explained.own.penalty + explained.own.prior)} in all.`)];
    }
    const saved = explained.table.penalty - explained.own.penalty;
    const lost = explained.own.fit - explained.table.fit;
    const believed = explained.table.prior - explained.own.prior;
    const largest = Math.max(Math.abs(saved), Math.abs(lost), Math.abs(believed), Math.abs(explained.saving), 1e-9);
    const row = (words, amount, css, extra) => [tag("span", { class: extra }, words),
      svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: css, width: (100 * Math.abs(amount)) / largest, height: 10 })),
      tag("span", { class: `amount ${extra}` }, nats(Math.abs(amount)))];
    return [
      tag("p", { class: "hint" }, "In nats, against the full table on the same parents:"),
      tag("div", { class: "balance" },
        ...row("fewer parameters save", saved, "gain", ""),
        ...row(lost >= 0 ? "a looser fit costs" : "a better fit saves", lost, lost >= 0 ? "loss" : "gain", ""),
        ...(believed === 0 ? [] : row(believed >= 0 ? "the prior saves" : "the prior costs", believed, believed >= 0 ? "gain" : "loss", "")),
        ...row(explained.saving >= 0 ? `${own} saves` : "the table saves", explained.saving, explained.saving >= 0 ? "gain" : "loss", "total")),
    ];
  }

  const partsOf = (family) => ({ table: tableParts, causes: causeParts, parameters: parameterParts }[family.parameters.kind](family));
  return { partsOf, stateWords };
};
