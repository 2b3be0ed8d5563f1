// Additional behaviour of the page of a large network: a search box, the neighbourhood of a variable,
// and a picture to zoom and drag. `page` holds what the rest of the script shares with it.
const makeExplorer = (page) => {
  "use strict";
  const { variables, byId, tag, svg, nameOf, counted, picture, nodeElements, arcElements, ends, weightOf, bestArcs } = page;
  const MOST_NEAR = 40; // nodes of a neighbourhood in the picture, for each step
  const MOST_FOUND = 12; // names in the list of the search box
  const MOST_CHIPS = 8; // relatives in the panel before the others are folded
  const MOST_LANDMARKS = picture.dataset.layout === "compact" ? 30 : 100; // names in a picture from far
  const [LEAST_LEGIBLE, FAR, SMALLEST, LARGEST] = [0.72, 0.45, 0.02, 3]; // pixels per unit
  const scroll = picture.parentElement;
  const isCompact = picture.dataset.layout === "compact";
  const { width, height } = picture.viewBox.baseVal;
  const whole = { width, height, places: nodeElements.map((one) => one.getAttribute("transform")) };
  whole.nodes = nodeElements.map((one) => {
    const { e, f } = one.transform.baseVal[0].matrix;
    return [e, f];
  });
  whole.lines = new Map([...arcElements].map(([name, one]) =>
    [name, { line: one.firstElementChild.getAttribute("d"), head: one.lastElementChild.getAttribute("d") }]));
  const state = { focus: 0, isNear: isCompact, steps: 1, scale: null, size: whole, shown: null, left: 0, recentre: true };

  // ---- who is near --------------------------------------------------------------------------
  const relativesIn = (parents) => {
    const children = parents.map(() => []);
    parents.forEach((own, child) => { for (const parent of own) children[parent].push(child); });
    return { parents, children };
  };
  const degree = (node) => state.shown.parents[node].length + state.shown.children[node].length;
  const strength = (one, other) =>
    Math.max(weightOf.get(page.key(one, other)) || 0, weightOf.get(page.key(other, one)) || 0);

  function spousesOf(node, { parents, children }) {
    const direct = new Set([node, ...parents[node], ...children[node]]);
    return [...new Set(children[node].flatMap((child) => parents[child]))].filter((one) => !direct.has(one));
  }

  // The focus and its parents, children and spouses within `steps` steps, the closest and strongest first.
  function neighbourhood() {
    const found = [state.focus];
    const seen = new Set(found);
    let edge = found;
    for (let step = 0; step < state.steps; step += 1) {
      const next = [];
      const add = (from, ones) => {
        for (const one of ones.filter((one) => !seen.has(one)).sort((a, b) => strength(from, b) - strength(from, a))) {
          seen.add(one);
          next.push(one);
        }
      };
      for (const node of edge) add(node, [...state.shown.parents[node], ...state.shown.children[node]]);
      for (const node of edge) add(node, spousesOf(node, state.shown));
      found.push(...next);
      edge = next;
    }
    return found;
  }

  // ---- places -------------------------------------------------------------------------------
  function setArc(name, { line, head }) {
    const element = arcElements.get(name) || page.addArc(name);
    const [path, tip] = element.querySelectorAll("path");
    path.setAttribute("d", line);
    tip.setAttribute("d", head);
  }

  function wholeLine(name) {
    if (!whole.lines.has(name)) whole.lines.set(name, layOut.drawn(ends(name).map((node) => whole.nodes[node])));
    return whole.lines.get(name);
  }

  function pane() {
    const style = getComputedStyle(scroll);
    return {
      width: scroll.clientWidth - 2 * parseFloat(style.paddingLeft),
      height: Math.max(320, 0.78 * window.innerHeight) - 2 * parseFloat(style.paddingTop),
    };
  }

  // Put the nodes and arcs that are shown in their places. Returns the nodes in the picture, or null if
  // these are all.
  function place(shown, others) {
    state.shown = relativesIn(shown.parents);
    const names = new Set([...shown.arcs, ...others]);
    if (!state.isNear) {
      nodeElements.forEach((element, node) => element.setAttribute("transform", whole.places[node]));
      for (const name of names) setArc(name, wholeLine(name));
      resize({ width: whole.width, height: whole.height, centre: state.recentre ? whole.nodes[state.focus] : null });
      state.recentre = false;
      return null;
    }
    if (others.size) state.shown = relativesIn(withArcs(shown.parents, others));
    const all = neighbourhood();
    const nodes = all.slice(0, MOST_NEAR * state.steps);
    state.left = all.length - nodes.length;
    const inside = new Set(nodes);
    const rank = (name) => (bestArcs.has(name) ? 2 : 0) + weightOf.get(name);
    const drawn = [...names].filter((name) => ends(name).every((node) => inside.has(node))).sort((a, b) => rank(b) - rank(a));
    const layout = fittingLayout(nodes, drawn.map(ends));
    for (const [node, [x, y]] of layout.nodes) nodeElements[node].setAttribute("transform", `translate(${x} ${y})`);
    drawn.forEach((name, at) => setArc(name, layout.lines[at]));
    resize({ width: layout.width, height: layout.height, centre: layout.nodes.get(state.focus) });
    return inside;
  }

  // The layout with the most nodes to a row that needs no scrolling sideways, or the narrowest.
  function fittingLayout(nodes, arcs) {
    const room = pane().width / LEAST_LEGIBLE;
    const most = Math.max(2, Math.floor(room / 148));
    let narrowest = null;
    for (let count = most; count >= Math.max(2, most - 4); count -= 2) {
      const layout = layOut(nodes, arcs, count);
      if (layout.width <= room) return layout;
      if (!narrowest || layout.width < narrowest.width) narrowest = layout;
    }
    return narrowest;
  }

  function withArcs(parents, names) {
    const more = parents.map((own) => new Set(own));
    for (const [parent, child] of [...names].map(ends)) more[child].add(parent);
    return more.map((own) => [...own]);
  }

  // ---- zoom ---------------------------------------------------------------------------------
  const fitting = (room) => Math.min(room.width / state.size.width, room.height / state.size.height);
  function firstScale() {
    const room = pane();
    if (isCompact && !state.isNear) return Math.min(1, fitting(room));
    return Math.min(1, Math.max(LEAST_LEGIBLE, room.width / state.size.width));
  }

  function resize(size) {
    state.size = size;
    picture.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    zoomTo(state.scale, false);
    if (size.centre) {
      const scale = state.scale ?? firstScale();
      scroll.scrollLeft = scale * size.centre[0] - scroll.clientWidth / 2;
      scroll.scrollTop = scale * size.centre[1] - scroll.clientHeight / 2;
    }
  }

  // Set the scale in pixels per unit (null: the scale at which the picture fits) around the middle, or around
  // a pointer.
  function zoomTo(wanted, keep = true, pointer = null) {
    const before = picture.getBoundingClientRect();
    const frame = scroll.getBoundingClientRect();
    const middle = pointer ? [pointer.clientX - frame.left, pointer.clientY - frame.top]
      : [0.5 * scroll.clientWidth, 0.5 * Math.min(scroll.clientHeight, before.height)];
    const at = [(frame.left + middle[0] - before.left) / before.width, (frame.top + middle[1] - before.top) / before.height];
    state.scale = wanted === null ? null : Math.min(Math.max(wanted, SMALLEST), LARGEST);
    const scale = state.scale ?? firstScale();
    picture.style.width = `${scale * state.size.width}px`;
    picture.style.height = `${scale * state.size.height}px`;
    picture.style.setProperty("--unit", `${1 / scale}px`);
    picture.classList.toggle("far", scale < FAR);
    byId("zoom-value").textContent = `${(100 * scale).toFixed(0)}%`;
    if (keep) {
      const after = picture.getBoundingClientRect();
      scroll.scrollLeft += after.left + at[0] * after.width - (frame.left + middle[0]);
      scroll.scrollTop += after.top + at[1] * after.height - (frame.top + middle[1]);
    }
    drawLandmarks(scale);
  }
  const zoomBy = (factor, pointer = null) => zoomTo(factor * (state.scale ?? firstScale()), true, pointer);

  // From far, names are too small to read: the best connected nodes get large ones, where there is room.
  const landmarks = picture.appendChild(svg("g", { class: "landmarks", "aria-hidden": "true" }));
  function drawLandmarks(scale) {
    landmarks.replaceChildren();
    if (scale >= FAR || state.isNear || !state.shown) return;
    const [high, letter] = [17 / scale, 7.6 / scale];
    const taken = [];
    const order = variables.map((_, node) => node).sort((a, b) => degree(b) - degree(a) || a - b);
    for (const node of order.slice(0, 150)) {
      if (taken.length === MOST_LANDMARKS) break;
      const x = whole.nodes[node][0];
      const y = Math.min(Math.max(whole.nodes[node][1], high / 2), whole.height - high / 2); // not cut off
      const label = nodeElements[node].querySelector("text").textContent;
      const half = (letter * label.length) / 2;
      const isFree = taken.every(([left, right, at]) => x + half < left || x - half > right || Math.abs(y - at) > high);
      if (!isFree || x < half || x + half > whole.width) continue;
      taken.push([x - half, x + half, y]);
      landmarks.append(svg("text", { x, y: y + 4 / scale }, label));
    }
  }

  byId("zoom-in").addEventListener("click", () => zoomBy(1.4));
  byId("zoom-out").addEventListener("click", () => zoomBy(1 / 1.4));
  byId("zoom-fit").addEventListener("click", () => zoomTo(Math.min(1, fitting(pane()))));
  scroll.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomBy(Math.exp(-0.002 * event.deltaY), event);
  }, { passive: false });
  scroll.addEventListener("keydown", (event) => {
    const factor = { "+": 1.4, "=": 1.4, "-": 1 / 1.4 }[event.key];
    if (!factor || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    zoomBy(factor);
  });
  // Touch scrolls by itself; a mouse drags.
  let drag = null;
  scroll.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button) return;
    drag = { x: event.clientX, y: event.clientY, left: scroll.scrollLeft, top: scroll.scrollTop, moved: false };
  });
  window.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [right, down] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(right, down) < 5) return;
    drag.moved = true;
    scroll.classList.add("dragged");
    scroll.scrollLeft = drag.left - right;
    scroll.scrollTop = drag.top - down;
  });
  window.addEventListener("pointerup", () => {
    if (drag?.moved) {
      // The click that ends a drag chooses nothing.
      const stop = (event) => event.stopPropagation();
      scroll.addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => scroll.removeEventListener("click", stop, { capture: true }), 0);
    }
    drag = null;
    scroll.classList.remove("dragged");
  });
  let [waiting, before] = [0, window.innerWidth];
  window.addEventListener("resize", () => {
    if (window.innerWidth === before) return; // a phone changes the height whenever it scrolls
    before = window.innerWidth;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => page.draw());
  });

  // ---- neighbourhood or whole ---------------------------------------------------------------
  function setScope(isNear) {
    state.isNear = isNear;
    state.scale = null;
    state.recentre = true;
    byId("scope-near").setAttribute("aria-pressed", String(isNear));
    byId("scope-whole").setAttribute("aria-pressed", String(!isNear));
    byId("near-controls").hidden = !isNear;
    for (const one of document.querySelectorAll(".only-whole")) one.hidden = isNear;
  }

  function show(isNear) {
    setScope(isNear);
    page.draw();
  }

  function goTo(node) {
    state.focus = node;
    byId("find").value = variables[node].name;
    show(true);
    page.openNode(node, false);
  }

  byId("scope-near").addEventListener("click", () => show(true));
  byId("scope-whole").addEventListener("click", () => show(false));
  byId("steps").addEventListener("change", () => {
    state.steps = Number(byId("steps").value);
    show(true);
  });

  // What the status line says of a neighbourhood, before what it says of the view.
  function words(inside) {
    const around = `Around ${variables[state.focus].name}: ${inside.size} of ${counted(variables.length, "variable")}`;
    if (inside.size === 1) return `${around}, since no arc that is shown leads from or to it.`;
    return `${around}${state.left ? `; ${state.left} more would be too many for the picture` : ""}.`;
  }

  // ---- relatives in the panel ---------------------------------------------------------------
  function chips(node, heading, relatives) {
    const ordered = [...relatives].sort((a, b) => strength(node, b) - strength(node, a));
    const items = ordered.map((one) => {
      const button = tag("button", { type: "button", "data-relative": one }, nameOf(one));
      button.addEventListener("click", () => {
        goTo(one);
        byId("panel-title").focus({ preventScroll: true });
      });
      return tag("li", {}, button);
    });
    const list = (some) => tag("ul", { class: "chips" }, ...some);
    if (!items.length) return [tag("p", { class: "hint" }, `${heading}: none`)];
    const parts = [tag("p", { class: "hint" }, `${heading}: ${items.length}`), list(items.slice(0, MOST_CHIPS))];
    if (items.length > MOST_CHIPS) {
      parts.push(tag("details", {}, tag("summary", {}, `${items.length - MOST_CHIPS} more`), list(items.slice(MOST_CHIPS))));
    }
    return parts;
  }

  function relativeParts(node) {
    const there = tag("button", { type: "button", id: "panel-near" }, "Show its neighbourhood");
    there.addEventListener("click", () => {
      goTo(node);
      byId("panel-title").focus({ preventScroll: true });
    });
    const listed = tag("button", { type: "button", id: "panel-arcs" }, "List its arcs");
    listed.addEventListener("click", () => page.filterArcs(variables[node].name));
    return [
      tag("div", { class: "actions" }, there, listed),
      tag("h4", {}, "Neighbourhood, as shown"),
      tag("div", { id: "panel-relatives" }),
    ];
  }

  function drawRelatives(node) {
    const { parents, children } = state.shown;
    byId("panel-near").hidden = state.isNear && state.focus === node;
    byId("panel-relatives").replaceChildren(
      ...chips(node, "Parents", parents[node]), ...chips(node, "Children", children[node]),
      ...chips(node, "Spouses (other parents of its children)", spousesOf(node, state.shown)));
  }

  // ---- the search box -----------------------------------------------------------------------
  const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const foldedNames = variables.map((variable) => folded(variable.name));
  const [find, list] = [byId("find"), byId("find-list")];
  let active = -1;

  // The variables whose names have all the words: the very name first, then names that begin with the
  // text, then the best connected. Without a text, the best connected.
  function matches(text) {
    const parts = folded(text).split(/\s+/).filter(Boolean);
    const whole = folded(text).trim();
    const miss = (node) => (foldedNames[node].trim() === whole ? 0 : foldedNames[node].startsWith(whole) ? 1 : 2);
    return variables.map((_, node) => node).filter((node) => parts.every((part) => foldedNames[node].includes(part)))
      .sort((a, b) => miss(a) - miss(b) || degree(b) - degree(a) || a - b);
  }

  function activate(at) {
    active = at;
    [...list.children].forEach((one, place) => one.setAttribute("aria-selected", String(place === at)));
    const option = list.children[at];
    if (option) {
      find.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else {
      find.removeAttribute("aria-activedescendant");
    }
  }

  function openList() {
    const found = matches(find.value);
    list.replaceChildren(...found.slice(0, MOST_FOUND).map((node, at) => {
      const option = tag("li", { role: "option", id: `found-${at}`, "data-found": node, "aria-selected": "false" },
        nameOf(node), tag("span", { class: "under" }, counted(degree(node), "arc")));
      option.addEventListener("pointerdown", (event) => event.preventDefault());
      option.addEventListener("click", () => choose(node));
      return option;
    }));
    const more = found.length > MOST_FOUND ? `; the first ${MOST_FOUND} are listed` : "";
    byId("find-status").textContent = found.length ? `${counted(found.length, "variable")} found${more}` : "no variable has this in its name";
    list.hidden = !found.length;
    find.setAttribute("aria-expanded", String(!list.hidden));
    activate(find.value.trim() && found.length ? 0 : -1);
  }

  function closeList() {
    list.hidden = true;
    find.setAttribute("aria-expanded", "false");
    byId("find-status").textContent = "";
    activate(-1);
  }

  function choose(node) {
    closeList();
    goTo(node);
    find.focus({ preventScroll: true });
    find.select();
  }

  find.addEventListener("input", openList);
  find.addEventListener("click", () => {
    if (list.hidden) find.select();
  });
  find.addEventListener("blur", closeList);
  find.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      if (list.hidden) return openList();
      const count = list.children.length;
      activate(active < 0 ? (step > 0 ? 0 : count - 1) : (active + step + count) % count);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (!list.hidden && active >= 0) choose(Number(list.children[active].dataset.found));
      else openList();
    } else if (event.key === "Escape") {
      event.stopPropagation(); // closes the list, not the panel
      if (list.hidden) find.value = "";
      closeList();
    }
  });

  // The variable with the most arcs is where the page opens; the caller draws.
  function start() {
    state.shown = relativesIn(page.shownNow().parents);
    state.focus = variables.reduce((most, _, node) => (degree(node) > degree(most) ? node : most), 0);
    document.documentElement.classList.add("explored");
    setScope(state.isNear);
  }
  return { state, place, words, relativeParts, drawRelatives, start };
};
