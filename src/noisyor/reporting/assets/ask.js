// The part of the page that answers questions: click a state, and the chances of all others follow. What
// was chosen is in the fragment of the page's address, so that a view can be shared. `page` holds what
// the rest of the script shares with it.
const makeAsk = (page) => {
  "use strict";
  const { variables, live, byId, tag, svg, nameOf, listOf, counted, countWords, shareWords, chanceWords } = page;
  const SLICE = 40; // milliseconds of work before the browser may draw
  const MOST_CARDS = window.innerWidth < 640 ? 20 : 60; // variables that are shown at once
  const FEW_CARDS = 12; // the same, as long as no chances are known
  const MOST_STATES = 12; // of a card, before it scrolls
  const sizes = variables.map((variable) => variable.states.length);
  const state = { observed: variables.map(() => null), found: null, before: null, question: 0, all: false };
  const answers = makeAnswers(sizes, live);
  const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  // Of two states, the presence first, as in the tables of the library.
  const shownStates = variables.map(({ states }) => (states.length === 2 ? [1, 0] : states.map((_, at) => at)));
  const observedOnes = () => variables.map((_, variable) => variable).filter((variable) => state.observed[variable] !== null);

  // ---- work in slices -------------------------------------------------------------------------
  // Run a question; another one that is asked meanwhile takes its place.
  function ask(question, done, failed) {
    const number = (state.question += 1);
    byId("ask").setAttribute("aria-busy", "true");
    const go = () => {
      if (number !== state.question) return;
      const until = performance.now() + SLICE;
      try {
        for (;;) {
          const step = question.next();
          if (step.done) {
            done(step.value);
            return byId("ask").setAttribute("aria-busy", "false");
          }
          if (performance.now() > until) return setTimeout(go, 0);
        }
      } catch (error) {
        if (!(error instanceof propagation.TooDense)) throw error;
        failed();
        byId("ask").setAttribute("aria-busy", "false");
      }
    };
    go();
  }

  // The chances are shown as soon as they are known; what to observe next takes several times as long.
  function* whole() {
    const found = yield* answers.posteriors(state.observed);
    const isRanked = found && page.diagnosis.isOpen();
    if (isRanked) page.diagnosis.expect(state.observed);
    show(found);
    if (!isRanked) return;
    yield;
    yield* page.diagnosis.question(answers, state.observed);
    page.diagnosis.draw(found);
  }

  function update() {
    writeFragment();
    ask(whole(), () => {}, () => {
      state.found = null;
      byId("ask-status").textContent = TOO_DENSE;
      drawGiven();
      drawCards();
      byId("ask-explained").replaceChildren();
      page.diagnosis.draw(null);
      page.drawChances(null, state.observed);
    });
  }
  const TOO_DENSE = "These networks are too densely connected for a page: the tables of an exact answer would be too large. " +
    "Choose more states, or ask the saved networks with “noisyor query”.";

  function show(found) {
    state.found = found;
    if (found && !observedOnes().length) state.before = found;
    drawGiven();
    drawCards();
    byId("ask-status").textContent = statusWords(found);
    drawExplained(found);
    page.diagnosis.draw(found);
    page.drawChances(found, state.observed);
  }

  // ---- words ----------------------------------------------------------------------------------
  const stateWords = (variable, at) => page.stateWords(variables[variable], at);
  function statusWords(found) {
    if (!found) return "What was chosen cannot occur together: no network gives it a chance. Take something back.";
    const over = live.networks.length === 1 ? "" : ` Averaged over ${counted(found.networks, "network")}; bands reach from the least to the most likely answer.`;
    const without = found.impossible > 0
      ? ` Networks with ${shareWords(found.impossible)} of the weight rule this out and are left out.` : "";
    const count = observedOnes().length;
    return `${count ? `Given ${counted(count, "finding")}.` : "Nothing chosen: these are the chances of any case."}${over}${without}`;
  }

  function drawGiven() {
    const chips = observedOnes().map((variable) => {
      const button = tag("button", { type: "button", "data-take-back": variable },
        tag("bdi", {}, stateWords(variable, state.observed[variable])), tag("span", { "aria-hidden": "true" }, " ×"), tag("span", { class: "off" }, ", take back"));
      button.addEventListener("click", () => {
        set(variable, null);
        byId("ask-reset").focus({ preventScroll: true });
      });
      return tag("li", {}, button);
    });
    byId("ask-given").replaceChildren(...chips);
    byId("ask-reset").setAttribute("aria-disabled", String(!chips.length)); // it keeps the focus
  }

  // The most probable states of all variables together, in the best network.
  function drawExplained(found) {
    const place = byId("ask-explained");
    if (!found) return place.replaceChildren();
    let best = null;
    try {
      best = answers.mostProbable(state.observed);
    } catch (error) {
      if (!(error instanceof propagation.TooDense)) throw error;
      return place.replaceChildren(tag("p", { class: "hint" }, "The tables for the most likely states of all variables together would be too large for a page."));
    }
    const where = live.networks.length === 1 ? "" : "in the best network, ";
    const lead = tag("strong", {}, "Most likely explanation");
    if (!best) return place.replaceChildren(tag("p", {}, lead, `: ${where}none, since it rules this out.`));
    const open = variables.map((_, variable) => variable).filter((variable) => state.observed[variable] === null);
    const said = (variable) => tag("bdi", { "data-explained": variable, "data-state": best.states[variable] }, stateWords(variable, best.states[variable]));
    const isPlain = (variable) => { // an absence says little
      const { presence } = variables[variable];
      return presence !== null && best.states[variable] !== presence;
    };
    const [telling, rest] = [open.filter((one) => !isPlain(one)), open.filter(isPlain)];
    const chance = tag("span", { id: "ask-posterior", "data-value": best.posterior }, page.smallWords(best.posterior));
    const parts = [tag("p", {}, lead, ` (${where}chance `, chance, "): ",
      ...(telling.length ? listOf(telling.map(said)) : ["nothing else is present"]), ".")];
    if (rest.length) parts.push(tag("details", {}, tag("summary", {}, `${counted(rest.length, "variable")} absent`), tag("p", {}, ...listOf(rest.map(said)), ".")));
    place.replaceChildren(...parts);
  }

  // ---- cards ----------------------------------------------------------------------------------
  // A bar with the mean, the band from least to most, and a mark where it was without findings.
  function band(variable, at) {
    const { mean, least, most } = state.found;
    const x = (value) => 100 * value;
    const marks = [svg("rect", { class: "track", y: 4, width: 100, height: 6 }), svg("rect", { class: "fill", y: 4, width: x(mean[variable][at]), height: 6 })];
    const [low, high] = [least[variable][at], most[variable][at]];
    if (high - low > 0.004) marks.push(svg("rect", { class: "interval", x: x(low), y: 1, width: x(high - low), height: 12 }));
    const was = state.before?.mean[variable][at];
    if (was !== undefined && Math.abs(was - mean[variable][at]) > 0.004) marks.push(svg("rect", { class: "before", x: Math.min(x(was), 99.2), y: 0, width: 0.8, height: 14 }));
    return svg("svg", { class: "chance", viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" }, ...marks);
  }

  // A button that sets a variable to a state, or takes it back.
  function stateButton(variable, at) {
    const { found } = state;
    const [chosen, label] = [state.observed[variable] === at, variables[variable].states[at]];
    const numbers = found && { "data-mean": found.mean[variable][at], "data-least": found.least[variable][at], "data-most": found.most[variable][at] };
    const [low, high] = found ? [found.least[variable][at], found.most[variable][at]].map(chanceWords) : ["", ""];
    const spread = found && low !== high ? ` ${low}–${high}` : "";
    const chance = !found ? "chance not known" : `chance ${chanceWords(found.mean[variable][at])}${spread && `, ${low} to ${high}`}`;
    const words = `${variables[variable].name}: ${label}, ${chance}`;
    const button = tag("button", { type: "button", "data-variable": variable, "data-set-state": at, "aria-pressed": String(chosen), "aria-label": words, ...numbers },
      tag("span", { class: "label" }, tag("bdi", {}, label)),
      found ? band(variable, at) : "",
      tag("span", { class: "number" }, found ? chanceWords(found.mean[variable][at]) : "?", tag("small", {}, spread)));
    button.addEventListener("click", () => set(variable, chosen ? null : at));
    return button;
  }

  function card(variable) {
    const known = state.observed[variable] !== null;
    const list = tag("ul", sizes[variable] > MOST_STATES ? { class: "long", tabindex: "0", role: "region", "aria-label": "States" } : {},
      ...shownStates[variable].map((at) => tag("li", {}, stateButton(variable, at))));
    return tag("div", { class: known ? "ask-card known" : "ask-card", "data-ask": variable },
      tag("h3", { title: variables[variable].name }, nameOf(variable)), list);
  }

  // The variables with what was searched in their names, those that moved most first if they are too many.
  function listed() {
    const wanted = folded(byId("ask-find")?.value || "").split(/\s+/).filter(Boolean);
    const matching = variables.map((_, variable) => variable).filter((variable) => {
      const name = folded(variables[variable].name);
      return wanted.every((part) => name.includes(part));
    });
    const most = state.found ? MOST_CARDS : FEW_CARDS;
    if (matching.length <= most || state.all) return { matching, shown: matching };
    const moved = (variable) => (state.observed[variable] !== null ? 2 : !state.found || !state.before ? 0
      : Math.max(...state.found.mean[variable].map((chance, at) => Math.abs(chance - state.before.mean[variable][at]))));
    const shown = [...matching].sort((a, b) => moved(b) - moved(a) || a - b).slice(0, most);
    return { matching, shown };
  }

  function drawCards() {
    const { matching, shown } = listed();
    const focused = document.activeElement?.closest?.("#ask-cards [data-set-state]");
    const again = focused && `[data-variable="${focused.dataset.variable}"][data-set-state="${focused.dataset.setState}"]`;
    byId("ask-cards").replaceChildren(...shown.map(card));
    if (again) byId("ask-cards").querySelector(again)?.focus({ preventScroll: true });
    const more = byId("ask-more");
    more.hidden = shown.length === matching.length;
    const why = state.found && observedOnes().length ? `; these are the ${shown.length} that changed most` : "";
    more.textContent = `Show all ${countWords(matching.length)}${why}`;
  }

  // ---- choosing -------------------------------------------------------------------------------
  function set(variable, at) {
    state.observed[variable] = at;
    update();
  }
  byId("ask-reset").addEventListener("click", () => {
    state.observed.fill(null);
    update();
  });
  byId("save-chances").addEventListener("click", () => state.found && page.asCsv("chances.csv", [
    ["variable", "state", "mean", "least", "most", "observed"],
    ...variables.flatMap(({ name, states }, variable) => states.map((label, at) =>
      [name, label, ...["mean", "least", "most"].map((key) => state.found[key][variable][at]), state.observed[variable] === at])),
  ]));
  byId("ask-find")?.addEventListener("input", drawCards);
  byId("ask-more").addEventListener("click", () => {
    state.all = true;
    drawCards();
  });

  // ---- the address ----------------------------------------------------------------------------
  const PREFIX = "given.";
  // Signs that would end an address in a text are escaped too.
  const encoded = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  let written = null;
  function writeFragment() {
    const pairs = [...observedOnes().map((variable) => [PREFIX + variables[variable].name, variables[variable].states[state.observed[variable]]]),
      ...page.diagnosis.pairs()];
    written = pairs.map((pair) => pair.map(encoded).join("=")).join("&");
    if (written || location.hash.includes("=")) history.replaceState(null, "", `#${written}`);
  }

  // Take over what a fragment says; names and states that the page does not have are left out.
  function readFragment() {
    const parts = location.hash.slice(1).split("&").filter((part) => part.includes("="));
    const pairs = parts.flatMap((part) => {
      try {
        return [part.split("=").map(decodeURIComponent)];
      } catch {
        return []; // not an address that the page wrote
      }
    });
    const numbers = new Map(variables.map(({ name }, variable) => [name, variable]));
    const observed = variables.map(() => null);
    for (const [name, label] of pairs) {
      const variable = name.startsWith(PREFIX) ? numbers.get(name.slice(PREFIX.length)) : undefined;
      const at = variable === undefined ? -1 : variables[variable].states.indexOf(label);
      if (at >= 0) observed[variable] = at;
    }
    state.observed = observed;
    page.diagnosis.read(pairs, numbers);
  }
  window.addEventListener("hashchange", () => {
    if (location.hash.slice(1) === written || !(location.hash.includes("=") || location.hash === "")) return;
    readFragment();
    update();
  });

  function start() {
    readFragment();
    const chosen = state.observed;
    state.observed = variables.map(() => null);
    // First without findings, to compare with.
    ask(answers.posteriors(state.observed), (found) => {
      state.before = found;
      state.observed = chosen;
      update();
    }, () => {
      state.observed = chosen;
      update();
    });
  }
  return { start, set, update, state, stateButton, shownStates };
};
