// Live answers in the picture and in the panel of a node, and the start of the section that asks. `page`
// holds what the rest of the script shares with it.
const makeLive = (page) => {
  "use strict";
  const { content, picture, nodeElements, byId, tag, svg } = page;

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
    const node = page.openedNode();
    list.replaceChildren(...asking.shownStates[node].map((at) => tag("li", {}, asking.stateButton(node, at))));
    if (focused) list.querySelector(`[data-set-state="${focused}"]`).focus({ preventScroll: true });
  }

  // The causes that nothing in the best network causes: what one would like to know.
  function firstTargets() {
    const own = content.live.networks[0].families.map((place) => content.live.families[place]);
    const isParent = new Set(own.flatMap((family) => family.parents));
    const found = own.filter((family) => !family.parents.length && isParent.has(family.child)).map((family) => family.child);
    return found.length ? found : [0];
  }

  function start() {
    const shared = { ...page, live: content.live, drawChances, firstTargets: firstTargets() };
    shared.diagnosis = makeDiagnosis({ ...shared, update: () => asking.update(), observed: () => asking.state.observed,
      stateButton: (variable, at) => asking.stateButton(variable, at), shownStates: () => asking.shownStates });
    asking = makeAsk(shared);
    asking.start();
  }
  return { start, drawPanelChances };
};
