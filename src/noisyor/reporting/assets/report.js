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
    if (explorer) pictureKeys.keepStop(explorer.state.focus);
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

  // Links within the page leave its address alone, which holds what was chosen.
  for (const link of document.querySelectorAll(".skip")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      byId(link.hash.slice(1)).focus();
    });
  }

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
    live?.drawPanelChances();
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
    const parts = familyPanel.partsOf(family);
    if (family.note) parts.push(tag("p", { class: "note" }, family.note));
    const chosen = document.querySelector(`#panel-families [data-family="${place}"]`);
    chosen.after(tag("div", { id: "panel-detail", class: looks[kindOf(family)].style }, ...parts));
  }

  // ---- the other parts of the script --------------------------------------------------------
  const page = { content, variables, arcs, looks, isAlone, picture, nodeElements, key, errorOf, byId, tag, svg, nameOf, listOf, counted,
    countWords, shareWords, errorWords, chanceWords, smallWords, nats, bar, isBinary, wordsOf };
  const pictureKeys = makePictureKeys(page, byId("explorer") !== null);
  const familyPanel = makeFamilyPanel(page);
  const arcTable = makeArcTable(page);

  // ---- downloads ----------------------------------------------------------------------------
  const downloads = makeDownloads(picture);
  byId("save-svg").addEventListener("click", downloads.asSvg);
  byId("save-png").addEventListener("click", downloads.asPng);
  byId("save-arcs").addEventListener("click", () => downloads.asCsv("arcs.csv", [
    ["parent", "child", "weight", "fraction", "networks", "in_best"],
    ...arcs.map((arc) => [variables[arc.parent].name, variables[arc.child].name, arc.weight, arc.fraction, arc.networks, arc.in_best]),
  ]));

  const live = byId("ask") && makeLive({ ...page, asCsv: downloads.asCsv, stateWords: familyPanel.stateWords, openedNode: () => state.node });
  const explorer = byId("explorer") && makeExplorer({
    variables, byId, tag, svg, nameOf, counted, picture, nodeElements, arcElements, ends, weightOf, bestArcs,
    key, addArc, draw, openNode, shownNow, filterArcs: arcTable.filterArcs,
  });
  document.documentElement.classList.remove("no-script");
  for (const [name, element] of arcElements) entitle(name, element);
  arcTable.drawArcs();
  explorer?.start();
  if (!isAlone) listenToViews();
  choose(state.view);
  byId("as-text-details").addEventListener("toggle", () => explorer && draw());
  live?.start();
})();
