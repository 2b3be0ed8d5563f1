// The behaviour of the page. Names come from data and are only ever set as text.
(() => {
  "use strict";
  const content = JSON.parse(document.getElementById("report-data").textContent);
  const { variables, arcs, families, nodes, best, members } = content;
  const byId = (id) => document.getElementById(id);
  const picture = byId("picture");
  const isAlone = content.set === null; // a single network, of which no records are known
  const state = { view: isAlone ? "best" : "averaged", member: 0, node: null, family: null };
  // The words and classes of relations; `root` is the relation of nodes without parents.
  const { root, looks } = JSON.parse(byId("report-looks").textContent);

  // ---- elements -----------------------------------------------------------------------------
  const SVG = "http://www.w3.org/2000/svg";
  const made = (element, attributes, children) => {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
    }
    element.append(...(children || []));
    return element;
  };
  const tag = (name, attributes, ...children) => made(document.createElement(name), attributes, children);
  const svg = (name, attributes, ...children) => made(document.createElementNS(SVG, name), attributes, children);
  const nameOf = (variable) => tag("bdi", {}, variables[variable].name);
  const listOf = (items) => items.flatMap((item, at) => (at ? [", ", item] : [item]));
  const shareWords = (share) => {
    const percent = 100 * share;
    if (percent > 0 && percent < 1) return "< 1%";
    if (percent > 99 && percent < 100) return "> 99%";
    return `${percent.toFixed(0)}%`;
  };
  // The standard error of a share, if it is an estimate.
  const errorWords = (error) =>
    (error === undefined ? "" : error < 0.0005 ? " ± < 0.1%" : ` ± ${(100 * error).toFixed(1)}%`);
  const countWords = (count) => (count < 1e15 ? count.toLocaleString("en") : count.toExponential(2).replace("e+", " × 10^"));
  const counted = (count, one) => `${countWords(count)} ${one}${count === 1 ? "" : "s"}`;
  const nats = (value) => value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const chanceWords = (value) => value.toFixed(value > 0 && value < 0.01 ? 3 : 2);
  const smallWords = (value) => (value > 0 && value < 0.001 ? value.toExponential(1) : chanceWords(value));
  const bar = (share) => svg("svg", { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", width: 100, height: 6 }), svg("rect", { class: "fill", width: 100 * share, height: 6 }));
  const isBinary = (variable) => variables[variable].states.length === 2;
  const wordsOf = (kind, node) => (variables[node].states.length > 2 ? looks[kind].words_of_more : looks[kind].words);
  const kindOf = (family) => (family.parents.length ? family.relation : "root");

  // ---- what is shown ------------------------------------------------------------------------
  const key = (parent, child) => `${parent}-${child}`;
  const arcsOf = (places) =>
    new Set(places.flatMap((place) => families[place].parents.map((parent) => key(parent, families[place].child))));
  const bestArcs = arcsOf(best);
  const arcElements = new Map([...picture.querySelectorAll("[data-arc]")].map((one) => [one.dataset.arc, one]));
  const nodeElements = [...picture.querySelectorAll("[data-node]")].sort((a, b) => a.dataset.node - b.dataset.node);
  const weightOf = new Map(arcs.map((arc) => [key(arc.parent, arc.child), arc.weight]));
  const sampling = content.set?.sampling;
  const errorOf = new Map(arcs.map((arc, at) => [key(arc.parent, arc.child), sampling?.arc_errors[at]]));
  const endsOf = new Map(arcs.map((arc) => [key(arc.parent, arc.child), [arc.parent, arc.child]]));
  const ends = (name) => endsOf.get(name);
  const arcTotal = Number(byId("arcs").dataset.total);
  const threshold = () => Number(byId("threshold").value) / 100;
  const placesShown = () => (state.view === "best" ? best : members[state.member].families);

  function averagedKind(node) {
    const kinds = { root: nodes[node].no_parents, ...nodes[node].relations };
    if (root in kinds) kinds[root] -= nodes[node].no_parents;
    return Object.keys(kinds).reduce((one, other) => (kinds[other] > kinds[one] ? other : one));
  }

  function shownNow() {
    if (state.view === "averaged") {
      const shown = arcs.filter((arc) => arc.weight >= threshold());
      const parents = variables.map(() => []);
      for (const arc of shown) parents[arc.child].push(arc.parent);
      return {
        arcs: new Set(shown.map((arc) => key(arc.parent, arc.child))),
        kinds: variables.map((_, node) => averagedKind(node)),
        parents,
      };
    }
    const places = placesShown();
    return {
      arcs: arcsOf(places),
      kinds: places.map((place) => kindOf(families[place])),
      parents: places.map((place) => families[place].parents),
    };
  }

  const sampleWords = sampling ? `, estimated from a sample of ${counted(sampling.draws, "network")}` : "";

  function statusWords(shown) {
    const count = shown.arcs.size;
    if (state.view === "averaged") {
      return `The averaged network: ${counted(count, "arc")} of ${countWords(arcTotal)} with at least ${shareWords(threshold())} of the weight${sampleWords}.`;
    }
    if (isAlone) return `The network: ${counted(count, "arc")}.`;
    if (state.view === "best") return `The best network: ${counted(count, "arc")}, cost ${nats(content.set.optimum)} nats.`;
    const more = [...shown.arcs].filter((one) => !bestArcs.has(one)).length;
    const fewer = [...bestArcs].filter((one) => !shown.arcs.has(one)).length;
    const other = members[state.member].families.filter(
      (place, node) => families[place].relation !== families[best[node]].relation).length;
    const differences = [
      more ? `${counted(more, "arc")} that the best network lacks` : "",
      fewer ? `${fewer} of the best network's missing` : "",
      other ? `another relation at ${counted(other, "node")}` : "",
    ].filter(Boolean);
    const against = differences.join(", ") || "the same as the best network";
    return `Network ${state.member + 1} by cost: ${counted(count, "arc")}; ${against}.`;
  }

  function draw() {
    const shown = shownNow();
    const inMembers = state.view === "members";
    const inside = explorer && explorer.place(shown, inMembers ? bestArcs : new Set());
    const isOutside = (node) => inside !== null && !inside.has(node);
    picture.dataset.view = state.view;
    for (const [name, element] of arcElements) {
      const [parent, child] = ends(name);
      const hidden = isOutside(parent) || isOutside(child);
      element.toggleAttribute("hidden", hidden);
      element.dataset.shown = shown.arcs.has(name) && !hidden ? "yes" : "no";
      if (hidden) continue;
      const gone = inMembers && !shown.arcs.has(name) && bestArcs.has(name);
      const kind = shown.kinds[child];
      const weight = weightOf.get(name);
      const plain = state.view === "averaged";
      const isNew = inMembers && shown.arcs.has(name) && !bestArcs.has(name);
      const traced = element.classList.contains("traced");
      element.setAttribute("class", plain || kind === "root" ? "" : looks[kind].style);
      element.classList.toggle("traced", traced);
      element.classList.toggle("gone", gone);
      element.classList.toggle("aside", inside !== null && parent !== explorer.state.focus && child !== explorer.state.focus);
      const width = plain ? 0.9 + 3.1 * weight : gone ? 1.4 : isNew ? 3.4 : 1.6;
      element.querySelector("[stroke-width]").setAttribute("stroke-width", width.toFixed(1));
    }
    nodeElements.forEach((element, node) => {
      element.toggleAttribute("hidden", isOutside(node));
      if (isOutside(node)) return;
      const kind = shown.kinds[node];
      const observed = element.classList.contains("observed");
      element.setAttribute("class", `node ${looks[kind].style}`);
      element.classList.toggle("observed", observed);
      element.classList.toggle("focus", inside !== null && node === explorer.state.focus);
      element.dataset.relation = kind === "root" ? root : kind;
      const parents = shown.parents[node].map((parent) => variables[parent].name);
      element.setAttribute("aria-label", `${variables[node].name}, ${wordsOf(kind, node)}; parents: ${parents.join(", ") || "none"}`);
      const label = element.querySelector("text");
      label.setAttribute("dy", state.view === "averaged" && element.querySelector(".mixes") ? "1" : "4.5");
    });
    // In a large network, the table is updated only while it is open.
    if (!explorer || byId("as-text-details").open) drawText(shown, isOutside);
    const words = inside ? `${explorer.words(inside)} ${statusWords(shown)}` : statusWords(shown);
    byId("picture-status").textContent = words;
    byId("as-text").caption.textContent = words;
    if (explorer && state.node !== null) explorer.drawRelatives(state.node);
  }

  function drawText(shown, isOutside) {
    for (const row of byId("as-text").tBodies[0].rows) {
      const node = Number(row.dataset.textNode);
      row.hidden = isOutside(node);
      if (row.hidden) continue;
      const parents = shown.parents[node].map((parent) => {
        const item = tag("span", {}, nameOf(parent));
        if (state.view === "averaged") item.append(` (${shareWords(weightOf.get(key(parent, node)))})`);
        return item;
      });
      row.cells[1].textContent = wordsOf(shown.kinds[node], node);
      row.cells[2].replaceChildren(...(parents.length ? listOf(parents) : ["none"]));
    }
  }

  // ---- views, slider, picker ----------------------------------------------------------------
  function choose(view) {
    state.view = view;
    for (const one of isAlone ? [] : ["averaged", "best", "members"]) {
      byId(`view-${one}`).setAttribute("aria-pressed", String(one === view));
      if (one !== "best") byId(`${one}-controls`).hidden = view !== one;
    }
    for (const one of document.querySelectorAll(".only-averaged")) one.hidden = view !== "averaged";
    for (const one of document.querySelectorAll(".only-members")) one.hidden = view !== "members";
    draw();
    if (state.node !== null) openNode(state.node, false);
  }

  function goTo(member) {
    if (Number.isInteger(member)) state.member = Math.min(Math.max(member, 0), members.length - 1);
    byId("member-number").value = state.member + 1;
    byId("member-previous").disabled = state.member === 0;
    byId("member-next").disabled = state.member === members.length - 1;
    const cost = members[state.member].cost;
    const above = cost - content.set.optimum;
    byId("member-status").textContent =
      `cost ${nats(cost)} nats, ${above < 0.005 ? "as good as the best" : `${nats(above)} above the best`}`;
    if (state.view === "members") {
      draw();
      if (state.node !== null) openNode(state.node, false);
    }
  }

  function listenToViews() {
    for (const view of ["averaged", "best", "members"]) byId(`view-${view}`).addEventListener("click", () => choose(view));
    byId("threshold").addEventListener("input", () => {
      byId("threshold-value").textContent = `${shareWords(threshold())} of the weight`;
      draw();
    });
    byId("member-previous").addEventListener("click", () => goTo(state.member - 1));
    byId("member-next").addEventListener("click", () => goTo(state.member + 1));
    byId("member-number").addEventListener("change", (event) => goTo(Math.round(event.target.valueAsNumber) - 1));
    byId("threshold").value = 50;
    goTo(0);
  }
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === "Escape" && state.node !== null) return closePanel();
    const busy = event.target.closest("input, select, .scroll:focus, .wide, summary");
    if (state.view !== "members" || busy) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      event.preventDefault();
      goTo(state.member + step);
    }
  });

  // ---- nodes --------------------------------------------------------------------------------
  function trace(node) {
    picture.classList.toggle("tracing", node !== null);
    for (const [name, element] of arcElements) element.classList.toggle("traced", ends(name).includes(node));
  }
  nodeElements.forEach((element, node) => {
    element.setAttribute("aria-expanded", "false");
    element.addEventListener("click", () => openNode(node, true));
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      openNode(node, true);
    });
    for (const on of ["pointerenter", "focus"]) element.addEventListener(on, () => trace(node));
    for (const off of ["pointerleave", "blur"]) element.addEventListener(off, () => trace(state.node));
  });
  function entitle(name, element) {
    const [parent, child] = ends(name);
    const share = isAlone ? "" : `: ${shareWords(weightOf.get(name))}${errorWords(errorOf.get(name))} of the weight`;
    element.prepend(svg("title", {}, `${variables[parent].name} → ${variables[child].name}${share}`));
  }

  // The picture of a large network holds the strong arcs alone; others are added when they are shown.
  function addArc(name) {
    const element = svg("g", { "data-arc": name }, svg("path", { "stroke-width": 1 }), svg("path"));
    picture.querySelector(".arcs").prepend(element);
    arcElements.set(name, element);
    entitle(name, element);
    return element;
  }

  // ---- the panel ----------------------------------------------------------------------------
  const emptyPanel = [...byId("panel").childNodes];

  function closePanel() {
    const from = nodeElements[state.node];
    from.setAttribute("aria-expanded", "false");
    state.node = null;
    trace(null);
    byId("panel").dataset.openNode = "";
    byId("panel").replaceChildren(...emptyPanel);
    (from.hasAttribute("hidden") ? byId("find") : from).focus();
  }

  function openNode(node, moveThere) {
    const again = state.node === node && !moveThere;
    state.node = node;
    trace(node);
    const own = nodes[node].families;
    const current = state.view === "averaged" ? own[0] : placesShown()[node];
    if (!again || state.view !== "averaged") state.family = current;
    nodeElements.forEach((element, at) => element.setAttribute("aria-expanded", String(at === node)));
    const panel = byId("panel");
    panel.dataset.openNode = node;
    const close = tag("button", { type: "button", id: "panel-close", "aria-label": "Close" }, "×");
    close.addEventListener("click", closePanel);
    const listed = own.includes(state.family) ? own : [state.family, ...own];
    panel.replaceChildren(
      tag("div", { class: "panel-head" }, tag("h3", { id: "panel-title", tabindex: "-1" }, nameOf(node)), close),
      ...stateParts(node),
      ...(byId("ask") ? [tag("div", { class: "ask-card" }, tag("ul", { id: "panel-live", "aria-label": "Its chances" }))] : []),
      ...(explorer ? explorer.relativeParts(node) : []),
      tag("h4", {}, isAlone ? "Its parents" : "Parents over the credible networks"),
      tag("ul", { class: "families", id: "panel-families" }, ...listed.map(familyItem), ...otherItem(node)));
    openFamily(state.family);
    drawPanelChances();
    if (explorer) explorer.drawRelatives(node);
    if (moveThere) {
      byId("panel-title").focus({ preventScroll: true });
      const below = panel.getBoundingClientRect().top >= picture.getBoundingClientRect().bottom;
      if (below) panel.scrollIntoView({ block: "start" });
    }
  }

  // How many records have each state; many states are folded.
  function stateParts(node) {
    const { states, records } = variables[node];
    if (!records) return [tag("p", { class: "hint" }, `${counted(states.length, "state")}: `, ...listOf(states.map((label) => tag("bdi", {}, label))), ".")];
    if (isBinary(node)) {
      return [tag("p", { class: "hint" }, tag("bdi", {}, states[1]), " in ", countWords(records[1]), " of ",
        counted(content.records, "record"), ", else ", tag("bdi", {}, states[0]), ".")];
    }
    const list = tag("ul", { class: "states" }, ...states.map((label, at) =>
      tag("li", { "data-state-records": at }, tag("bdi", {}, label), ` ${countWords(records[at])}`)));
    const words = `${counted(states.length, "state")} in ${counted(content.records, "record")}`;
    if (states.length <= 8) return [tag("p", { class: "hint" }, `${words}:`), list];
    return [tag("details", {}, tag("summary", {}, words), list)];
  }

  function familyItem(place) {
    const family = families[place];
    const names = family.parents.length ? listOf(family.parents.map(nameOf)) : ["no parents"];
    const kind = family.parents.length ? wordsOf(family.relation, family.child) : "";
    const shares = isAlone ? [tag("span", { class: "under" }, kind)] : [
      tag("span", { class: "share" }, shareWords(family.weight), errorWords(sampling?.family_errors[place])), bar(family.weight),
      tag("span", { class: "under" }, kind && `${kind}, `, `in ${counted(family.networks, "network")}`, best.includes(place) ? ", also the best" : "")];
    const button = tag("button", { type: "button", "data-family": place, class: looks[kindOf(family)].style, "aria-pressed": "false" },
      tag("span", {}, ...names), ...shares);
    button.addEventListener("click", () => openFamily(place));
    return tag("li", {}, button);
  }

  function otherItem(node) {
    const others = nodes[node].others;
    if (!others) return [];
    const words = `${others.families} more, with ${shareWords(others.weight)} of the weight together`;
    return [tag("li", { class: "rest" }, words)];
  }

  function openFamily(place) {
    state.family = place;
    for (const one of document.querySelectorAll("#panel-families [data-family]")) {
      one.setAttribute("aria-pressed", String(Number(one.dataset.family) === place));
    }
    const family = families[place];
    byId("panel-detail")?.remove();
    const parts = { table: tableParts, causes: causeParts, parameters: parameterParts }[family.parameters.kind](family);
    if (family.note) parts.push(tag("p", { class: "note" }, family.note));
    const chosen = document.querySelector(`#panel-families [data-family="${place}"]`);
    chosen.after(tag("div", { id: "panel-detail", class: looks[kindOf(family)].style }, ...parts));
  }

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

  // ---- the table of arcs --------------------------------------------------------------------
  const ROWS = 100; // added at once to the table of a large network
  const collator = new Intl.Collator("en", { numeric: true }); // far quicker than localeCompare
  const arcBody = byId("arcs").tBodies[0];
  const arcRows = new Map([...arcBody.rows].map((row) => [row.dataset.row, row]));
  const table = { by: "weight", ascending: false, rows: byId("explorer") ? ROWS : arcRows.size };
  const valueOf = {
    parent: (arc) => variables[arc.parent].name,
    child: (arc) => variables[arc.child].name,
    weight: (arc) => arc.weight,
    fraction: (arc) => arc.fraction,
    bootstrap: (arc) => resampled.get(key(arc.parent, arc.child))[0],
  };

  const resampled = new Map(!content.bootstrap ? [] : arcs.map((arc, at) =>
    [key(arc.parent, arc.child), [content.bootstrap.shares[at], content.bootstrap.errors[at]]]));

  function bootstrapCells(name) {
    if (!resampled.has(name)) return [];
    const [share, error] = resampled.get(name);
    return [tag("td", { class: "figure" }, shareWords(share), errorWords(error))];
  }

  function arcRow(arc) {
    const name = key(arc.parent, arc.child);
    if (!arcRows.has(name)) {
      const shares = isAlone ? [] : [
        tag("td", { class: "figure" }, shareWords(arc.weight), errorWords(errorOf.get(name))), tag("td", { class: "figure" }, shareWords(arc.fraction)),
        ...bootstrapCells(name), tag("td", {}, arc.in_best ? "yes" : "–")];
      arcRows.set(name, tag("tr", { "data-row": name }, tag("td", {}, nameOf(arc.parent)), tag("td", {}, nameOf(arc.child)), ...shares));
    }
    const row = arcRows.get(name);
    if (!isAlone && !row.querySelector(".bar")) row.cells[2].prepend(bar(arc.weight));
    return row;
  }

  function drawArcs() {
    const compare = (a, b) => (typeof a === "string" ? collator.compare(a, b) : a - b);
    const value = valueOf[table.by];
    const wanted = byId("arc-filter")?.value.trim().toLowerCase() || "";
    const has = (variable) => variables[variable].name.toLowerCase().includes(wanted);
    const listed = byId("explorer") ? arcs : arcs.slice(0, arcRows.size);
    const found = listed.filter((arc) => !wanted || has(arc.parent) || has(arc.child));
    found.sort((a, b) => (table.ascending ? 1 : -1) * compare(value(a), value(b)));
    arcBody.replaceChildren(...found.slice(0, table.rows).map(arcRow));
    if (!byId("explorer")) return;
    const shown = Math.min(table.rows, found.length);
    byId("arcs-shown").textContent = `Shown: ${countWords(shown)} of ${countWords(found.length)}${wanted ? " with a variable of this name" : ""}.`;
    byId("arcs-more").hidden = shown === found.length;
    byId("arcs-more").textContent = `Show ${Math.min(ROWS, found.length - shown)} more`;
  }

  function sortArcs(button) {
    const head = button.closest("th");
    const before = head.getAttribute("aria-sort");
    table.by = button.dataset.sort;
    table.ascending = before ? before === "descending" : table.by === "parent" || table.by === "child";
    for (const one of head.parentNode.cells) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", table.ascending ? "ascending" : "descending");
    drawArcs();
  }
  for (const button of document.querySelectorAll("#arcs [data-sort]")) button.addEventListener("click", () => sortArcs(button));
  byId("arc-filter")?.addEventListener("input", () => {
    table.rows = ROWS;
    drawArcs();
  });
  byId("arcs-more")?.addEventListener("click", () => {
    table.rows += ROWS;
    drawArcs();
  });
  function filterArcs(name) {
    byId("arc-filter").value = name;
    table.rows = ROWS;
    drawArcs();
    byId("arcs-section").scrollIntoView({ block: "start" });
    byId("arc-filter").focus({ preventScroll: true });
  }

  // ---- downloads ----------------------------------------------------------------------------
  const downloads = makeDownloads(picture);
  byId("save-svg").addEventListener("click", downloads.asSvg);
  byId("save-png").addEventListener("click", downloads.asPng);
  byId("save-arcs").addEventListener("click", () => downloads.asCsv("arcs.csv", [
    ["parent", "child", "weight", "fraction", "networks", "in_best"],
    ...arcs.map((arc) => [variables[arc.parent].name, variables[arc.child].name, arc.weight, arc.fraction, arc.networks, arc.in_best]),
  ]));

  // ---- live answers -------------------------------------------------------------------------
  // A gauge at the bottom of each node, while something is known: the chance of presence, or of each of
  // more states. The strip of relations makes room for it.
  function drawChances(found, observed) {
    drawPanelChances();
    picture.classList.toggle("asked", observed.some((state) => state !== null));
    nodeElements.forEach((element, node) => {
      element.querySelector(".gauge")?.remove();
      element.classList.toggle("observed", observed[node] !== null);
      if (!found) return;
      const chances = [...found.mean[node]];
      const parts = [svg("rect", { class: "track", x: -46, y: 14, width: 92, height: 3 })];
      let x = -46;
      chances.slice(1).reverse().forEach((chance, at) => {
        const strength = (chances.length - 1 - at) / (chances.length - 1);
        parts.push(svg("rect", { class: "fill", x: x.toFixed(1), y: 14, width: (92 * chance).toFixed(1), height: 3, opacity: strength.toFixed(2) }));
        x += 92 * chance;
      });
      element.append(svg("g", { class: "gauge", "data-chance": chances[chances.length - 1] }, ...parts));
    });
  }

  // The states of the open node, to be clicked.
  let asking = null;
  function drawPanelChances() {
    const list = byId("panel-live");
    if (!list || !asking) return;
    const focused = list.contains(document.activeElement) && document.activeElement.dataset.setState;
    list.replaceChildren(...asking.shownStates[state.node].map((at) => tag("li", {}, asking.stateButton(state.node, at))));
    if (focused) list.querySelector(`[data-set-state="${focused}"]`).focus({ preventScroll: true });
  }

  // The causes that nothing in the best network causes: what one would like to know.
  function firstTargets() {
    const own = content.live.networks[0].families.map((place) => content.live.families[place]);
    const isParent = new Set(own.flatMap((family) => family.parents));
    const found = own.filter((family) => !family.parents.length && isParent.has(family.child)).map((family) => family.child);
    return found.length ? found : [0];
  }

  function startAsking() {
    const shared = { variables, live: content.live, byId, tag, svg, nameOf, listOf, counted, countWords, shareWords, chanceWords, smallWords,
      stateWords, bar, drawChances, asCsv: downloads.asCsv, firstTargets: firstTargets() };
    shared.diagnosis = makeDiagnosis({ ...shared, update: () => asking.update(), observed: () => asking.state.observed,
      stateButton: (variable, at) => asking.stateButton(variable, at), shownStates: () => asking.shownStates });
    asking = makeAsk(shared);
    asking.start();
  }

  const explorer = byId("explorer") && makeExplorer({
    variables, byId, tag, svg, nameOf, counted, picture, nodeElements, arcElements, ends, weightOf, bestArcs,
    key, addArc, draw, openNode, shownNow, filterArcs,
  });
  document.documentElement.classList.remove("no-script");
  for (const [name, element] of arcElements) entitle(name, element);
  drawArcs();
  explorer?.start();
  if (!isAlone) listenToViews();
  choose(state.view);
  byId("as-text-details").addEventListener("toggle", () => explorer && draw());
  if (byId("ask")) startAsking();
})();
