// The table of arcs: sorted, filtered, and in a large network a part at a time. `page` holds what the rest of
// the script shares with it.
const makeArcTable = (page) => {
  "use strict";
  const { content, variables, arcs, isAlone, key, errorOf, byId, tag, nameOf, shareWords, errorWords, countWords, bar } = page;
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
  return { drawArcs, filterArcs };
};
