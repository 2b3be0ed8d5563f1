// The diagnosis view: what is to become known on the left, and on the right what can be observed, the
// most informative first.
const makeDiagnosis = (page) => {
  "use strict";
  const { variables, byId, tag, nameOf, shareWords } = page;
  const MOST_FINDINGS = 12; // that are shown at once
  const everyone = variables.map((_, variable) => variable);
  const state = { isOpen: false, isPending: false, targets: new Set(page.firstTargets), target: page.firstTargets[0], value: null, all: false };
  const sorted = (chosen) => everyone.filter((variable) => chosen.has(variable));

  function open(isOpen) {
    state.isOpen = isOpen;
    byId("ask-every").setAttribute("aria-pressed", String(!isOpen));
    byId("ask-diagnosis").setAttribute("aria-pressed", String(isOpen));
    byId("every").hidden = isOpen;
    byId("diagnosis").hidden = !isOpen;
  }

  // What was found for other evidence no longer counts. An observed target needs no test; another one that
  // is open takes its place.
  function expect(observed) {
    state.value = null;
    if (observed[state.target] !== null) state.target = sorted(state.targets).find((one) => observed[one] === null) ?? state.target;
    state.isPending = observed[state.target] === null;
  }

  function* question(answers, observed) {
    if (state.isPending) state.value = yield* answers.information(state.target, observed);
    state.isPending = false;
  }

  function targetItem(variable) {
    const chosen = variable === state.target;
    const title = tag("button", { type: "button", class: "as-target", "data-target": variable, "aria-pressed": String(chosen) }, nameOf(variable));
    title.addEventListener("click", () => {
      state.target = variable;
      page.update();
    });
    return tag("li", { class: chosen ? "ask-card chosen" : "ask-card", "data-target-card": variable }, tag("h4", {}, title),
      tag("ul", {}, ...page.shownStates()[variable].map((at) => tag("li", {}, page.stateButton(variable, at)))));
  }

  function findingItem({ variable, drop, share }, most) {
    const value = drop === null ? "" : tag("span", { class: "worth", "data-drop": drop, "data-share": share },
      page.bar(most > 0 ? drop / most : 0), tag("small", {}, drop < 1e-12 ? "tells nothing" : `settles ${shareWords(share)}`));
    return tag("li", { class: drop === null ? "ask-card known" : "ask-card", "data-finding": variable },
      tag("div", { class: "finding-head" }, tag("h4", {}, nameOf(variable)), value),
      tag("ul", {}, ...page.shownStates()[variable].map((at) => tag("li", {}, page.stateButton(variable, at)))));
  }

  function drawChoices() {
    byId("target-choices").replaceChildren(...everyone.map((variable) => {
      const box = tag("input", { type: "checkbox", value: variable });
      box.checked = state.targets.has(variable);
      box.addEventListener("change", () => {
        if (box.checked) state.targets.add(variable);
        else state.targets.delete(variable);
        if (!state.targets.has(state.target)) state.target = sorted(state.targets)[0] ?? variable;
        if (!state.targets.size) state.targets.add(state.target);
        page.update();
      });
      return tag("li", {}, tag("label", {}, box, " ", nameOf(variable)));
    }));
  }

  function draw(found) {
    if (!state.isOpen) return;
    const observed = page.observed();
    const focused = document.activeElement?.closest?.("#diagnosis [data-set-state], #diagnosis [data-target]")?.dataset;
    byId("targets").replaceChildren(...sorted(state.targets).map(targetItem));
    if (found && state.isPending) {
      byId("next-test").replaceChildren("Comparing what could be observed next …");
      return focusAgain(focused); // the findings stay until they are ranked anew
    }
    const ranked = (found && state.value ? state.value.findings : []).filter(({ variable }) => !state.targets.has(variable));
    const known = everyone.filter((variable) => observed[variable] !== null && !state.targets.has(variable));
    const shown = state.all ? ranked : ranked.slice(0, MOST_FINDINGS);
    byId("findings").replaceChildren(...known.map((variable) => findingItem({ variable, drop: null }, 0)),
      ...shown.map((one) => findingItem(one, ranked[0].drop)));
    byId("findings-more").hidden = shown.length === ranked.length;
    byId("findings-more").textContent = `Show ${ranked.length - shown.length} less informative ones`;
    byId("next-test").replaceChildren(...testWords(found, observed, ranked));
    focusAgain(focused);
  }

  function focusAgain(focused) {
    if (!focused) return;
    const again = focused.setState ? `[data-variable="${focused.variable}"][data-set-state="${focused.setState}"]` : `[data-target="${focused.target}"]`;
    byId("diagnosis").querySelector(again)?.focus({ preventScroll: true });
  }

  function testWords(found, observed, ranked) {
    if (!found) return [];
    const target = nameOf(state.target);
    if (observed[state.target] !== null) return ["All targets are known."];
    if (!ranked.length) return ["There is nothing left to observe."];
    if (ranked[0].drop < 1e-12) return ["Nothing that is left tells anything about ", target, "."];
    return ["To learn about ", target, ", observe ", tag("strong", {}, nameOf(ranked[0].variable)),
      ` next: it is expected to settle ${shareWords(ranked[0].share)} of the uncertainty (entropy) that is left.`];
  }

  byId("ask-every").addEventListener("click", () => {
    open(false);
    page.update();
  });
  byId("ask-diagnosis").addEventListener("click", () => {
    open(true);
    page.update();
  });
  byId("findings-more").addEventListener("click", () => {
    state.all = true;
    page.update();
  });

  // What the address says of this view.
  const isFirst = () => state.targets.size === page.firstTargets.length && page.firstTargets.every((one) => state.targets.has(one));
  function pairs() {
    if (!state.isOpen) return [];
    const chosen = isFirst() ? [] : sorted(state.targets).map((variable) => ["among", variables[variable].name]);
    return [["target", variables[state.target].name], ...chosen];
  }
  function read(all, numbers) {
    const of = (key) => all.filter(([name, label]) => name === key && numbers.has(label)).map(([, label]) => numbers.get(label));
    const [target] = of("target");
    if (target !== undefined) {
      const among = of("among");
      state.targets = new Set(among.length ? among : page.firstTargets);
      state.targets.add(target);
      state.target = target;
    }
    open(target !== undefined);
    drawChoices();
  }
  return { isOpen: () => state.isOpen, expect, question, draw, pairs, read };
};
