// The layout of a part of a network: in layers, parents above their children, like the whole. The part is
// small, so this takes milliseconds.
const layOut = (() => {
  "use strict";
  const [WIDTH, HEIGHT, ROW, MARGIN, GAP, LANE] = [124, 40, 112, 16, 24, 20];
  const [PORT, SPREAD, HEAD] = [16, 0.64 * WIDTH, 9];
  const SWEEPS = 24;
  const groups = (keys) => new Map([...keys].map((key) => [key, []]));
  const pairs = (stops) => stops.slice(1).map((stop, at) => [stops[at], stop]);

  // The arcs that close no cycle with those before them.
  function acyclic(nodes, arcs) {
    const children = groups(nodes);
    return arcs.filter(([parent, child]) => {
      const reached = [child];
      const seen = new Set(reached);
      for (const node of reached) {
        if (node === parent) return false;
        for (const next of children.get(node)) {
          if (!seen.has(next)) reached.push(next);
          seen.add(next);
        }
      }
      children.get(parent).push(child);
      return true;
    });
  }

  // A row for each node, below its parents' rows, with at most `most` nodes in each. Nodes with more
  // children than parents are as low as there is room, the others as high.
  function rowsOf(nodes, arcs, most) {
    const [parents, children] = [groups(nodes), groups(nodes)];
    for (const [parent, child] of arcs) {
      parents.get(child).push(parent);
      children.get(parent).push(child);
    }
    const missing = new Map(nodes.map((node) => [node, parents.get(node).length]));
    const order = nodes.filter((node) => !missing.get(node));
    for (const node of order) {
      for (const child of children.get(node)) {
        missing.set(child, missing.get(child) - 1);
        if (!missing.get(child)) order.push(child);
      }
    }
    const [row, taken] = [new Map(), []];
    const put = (node, from, step) => {
      let at = from;
      while ((taken[at] || 0) >= most) at += step;
      row.set(node, at);
      taken[at] = (taken[at] || 0) + 1;
    };
    for (const node of order) put(node, 1 + Math.max(-1, ...parents.get(node).map((one) => row.get(one))), 1);
    for (const node of [...order].reverse()) {
      if (children.get(node).length <= parents.get(node).length) continue;
      taken[row.get(node)] -= 1;
      put(node, Math.min(...children.get(node).map((one) => row.get(one))) - 1, -1);
    }
    const used = [...new Set(row.values())].sort((a, b) => a - b);
    return new Map(nodes.map((node) => [node, used.indexOf(row.get(node))]));
  }

  // The places nearest to those wanted, in this order and without overlap (pool adjacent violators).
  function nearestInOrder(wanted, weights, room) {
    let offset = 0;
    const offsets = room.map((own, at) => (offset += at ? room[at - 1] + own : 0));
    const pools = [];
    wanted.forEach((want, at) => {
      let pool = [want - offsets[at], weights[at], 1];
      while (pools.length && pools[pools.length - 1][0] > pool[0]) {
        const [mean, weight, count] = pools.pop();
        pool = [(mean * weight + pool[0] * pool[1]) / (weight + pool[1]), weight + pool[1], count + pool[2]];
      }
      pools.push(pool);
    });
    return pools.flatMap(([mean, , count]) => Array(count).fill(mean)).map((mean, at) => mean + offsets[at]);
  }

  function crossings(layers, below, place) {
    let count = 0;
    for (const layer of layers) {
      const ends = layer.flatMap((stop) => below[stop].map((to) => place[to]).sort((a, b) => a - b));
      ends.forEach((end, at) => { for (let to = at + 1; to < ends.length; to += 1) count += ends[to] < end; });
    }
    return count;
  }

  // Stops in the order of their neighbours' means, downward and upward in turn: the order of all that
  // crosses least.
  function ordered(layers, above, below) {
    const place = [];
    const number = () => layers.forEach((layer) => layer.forEach((stop, at) => { place[stop] = at - layer.length / 2; }));
    number();
    let found = { count: crossings(layers, below, place), layers: layers.map((layer) => [...layer]) };
    for (let sweep = 0; sweep < SWEEPS && found.count; sweep += 1) {
      const near = sweep % 2 ? below : above;
      for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
        const mean = new Map(layer.map((stop) => [stop,
          near[stop].length ? near[stop].reduce((sum, one) => sum + place[one], 0) / near[stop].length : place[stop]]));
        layer.sort((a, b) => mean.get(a) - mean.get(b));
        layer.forEach((stop, at) => { place[stop] = at - layer.length / 2; });
      }
      const count = crossings(layers, below, place);
      if (count < found.count) found = { count, layers: layers.map((layer) => [...layer]) };
    }
    return found.layers;
  }

  function columns(layers, above, below, room) {
    const xs = [];
    for (const layer of layers) {
      const widths = layer.reduce((sum, stop) => sum + 2 * room[stop], 0);
      let x = -widths / 2;
      for (const stop of layer) {
        xs[stop] = x + room[stop];
        x += 2 * room[stop];
      }
    }
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      const last = sweep >= SWEEPS - 2;
      for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
        const near = layer.map((stop) => (last ? [...above[stop], ...below[stop]] : (sweep % 2 ? below : above)[stop]));
        const wanted = layer.map((stop, at) =>
          (near[at].length ? near[at].reduce((sum, one) => sum + xs[one], 0) / near[at].length : xs[stop]));
        const placed = nearestInOrder(wanted, near.map((one) => one.length + 0.1), layer.map((stop) => room[stop]));
        layer.forEach((stop, at) => { xs[stop] = placed[at]; });
      }
    }
    return xs;
  }

  const point = (x, y) => `${Math.round(x)} ${Math.round(y)}`;
  const curve = ([x, y], [toX, toY]) => `C${point(x, (y + toY) / 2)} ${point(toX, (y + toY) / 2)} ${point(toX, toY)}`;

  // The line and the head of an arc from one node to another, past stops in the layers between.
  function drawn(stops) {
    const down = Math.sign(stops[stops.length - 1][1] - stops[0][1]) || 1;
    const edge = ([x, y], side) => [x, y + (side * down * HEIGHT) / 2];
    const [tipX, tipY] = edge(stops[stops.length - 1], -1);
    let at = edge(stops[0], 1);
    let line = `M${point(...at)}`;
    for (const stop of stops.slice(1, -1)) {
      line += `${curve(at, edge(stop, -1))}V${Math.round(edge(stop, 1)[1])}`;
      at = edge(stop, 1);
    }
    line += curve(at, [tipX, tipY - down * (HEAD - 1)]);
    return { line, head: `M${point(tipX, tipY)}l-4.5 ${-down * HEAD}h9z` };
  }

  // Where several arcs meet on one side of a node, they are spread out in the order of their origins.
  function spread(routes) {
    const sides = new Map();
    for (const route of routes) {
      const last = route.length - 1;
      for (const [end, next] of [[0, 1], [last, last - 1]]) {
        const side = `${route[end].join()},${route[next][1] > route[end][1]}`;
        if (!sides.has(side)) sides.set(side, []);
        sides.get(side).push([route[next][0], route, end]);
      }
    }
    const moved = new Map(routes.map((route) => [route, route.map((stop) => [...stop])]));
    for (const meeting of sides.values()) {
      const step = Math.min(PORT, SPREAD / meeting.length);
      meeting.sort((a, b) => a[0] - b[0]).forEach(([, route, end], at) => {
        moved.get(route)[end][0] += (at - (meeting.length - 1) / 2) * step;
      });
    }
    return routes.map((route) => moved.get(route));
  }

  // Places of the nodes and lines of the arcs, [parent, child], of which the first are those that lead
  // downward if there is a cycle. A row has at most `most` nodes.
  function layOut(nodes, arcs, most) {
    const kept = acyclic(nodes, arcs);
    const row = rowsOf(nodes, kept, most);
    const stopOf = new Map(nodes.map((node, at) => [node, at]));
    const rows = nodes.map((node) => row.get(node));
    const routes = new Map();
    for (const arc of kept) {
      const between = [];
      for (let at = row.get(arc[0]) + 1; at < row.get(arc[1]); at += 1) between.push(rows.push(at) - 1);
      routes.set(arc, [stopOf.get(arc[0]), ...between, stopOf.get(arc[1])]);
    }
    const [above, below] = [rows.map(() => []), rows.map(() => [])];
    for (const [one, other] of [...routes.values()].flatMap(pairs)) {
      above[other].push(one);
      below[one].push(other);
    }
    const layers = Array.from({ length: 1 + Math.max(...rows) }, () => []);
    rows.forEach((at, stop) => layers[at].push(stop));
    const room = rows.map((_, stop) => (stop < nodes.length ? (WIDTH + GAP) / 2 : LANE / 2));
    const xs = columns(ordered(layers, above, below), above, below, room);
    const left = Math.min(...xs.map((x, stop) => (stop < nodes.length ? x - WIDTH / 2 : x))) - MARGIN;
    const right = Math.max(...xs.map((x, stop) => (stop < nodes.length ? x + WIDTH / 2 : x))) + MARGIN;
    const place = (stop) => [xs[stop] - left, rows[stop] * ROW + HEIGHT / 2 + MARGIN];
    const stops = arcs.map((arc) => (routes.get(arc) || arc.map((node) => stopOf.get(node))).map(place));
    return {
      width: Math.round(right - left),
      height: (layers.length - 1) * ROW + HEIGHT + 2 * MARGIN,
      nodes: new Map(nodes.map((node, at) => [node, place(at).map(Math.round)])),
      lines: spread(stops).map(drawn),
    };
  }
  return Object.assign(layOut, { drawn });
})();
