// The order in which the variables of a graph are eliminated, and the cluster that each one leaves.
const elimination = (() => {
  "use strict";

  // A graph as a set of neighbours for each variable in `nodes`; the variables of a scope are all joined.
  function graphOf(nodes, scopes) {
    const near = new Map(nodes.map((node) => [node, new Set()]));
    for (const scope of scopes) {
      for (const one of scope) for (const other of scope) if (one !== other) near.get(one).add(other);
    }
    return near;
  }

  const entriesOf = (node, near, sizes) => {
    let entries = sizes[node];
    for (const other of near.get(node)) entries *= sizes[other];
    return entries;
  };

  function fillOf(node, near) {
    let missing = 0;
    const own = [...near.get(node)];
    for (let at = 0; at < own.length; at += 1) {
      const others = near.get(own[at]);
      for (let to = at + 1; to < own.length; to += 1) missing += !others.has(own[to]);
    }
    return missing;
  }

  const COSTS = {
    // The smallest table first; among equals, the one that joins fewest.
    entries: { of: (node, near, sizes) => entriesOf(node, near, sizes), reach: 1 },
    // The fewest new edges first; among equals, the smallest table.
    fill: { of: (node, near, sizes) => fillOf(node, near) + 1 - 1 / (1 + entriesOf(node, near, sizes)), reach: 2 },
  };

  // Eliminate greedily by a cost. Returns the order, the scope of each cluster (the variable first), and
  // their entries together, infinite if there are more than `most`.
  function greedy(graph, sizes, rule, most) {
    const near = new Map([...graph].map(([node, own]) => [node, new Set(own)]));
    const cost = new Map([...near.keys()].map((node) => [node, rule.of(node, near, sizes)]));
    const [order, scopes] = [[], []];
    let entries = 0;
    while (cost.size) {
      let next = null;
      let least = Infinity;
      for (const [node, own] of cost) {
        if (own < least || next === null) {
          next = node;
          least = own;
        }
      }
      const own = [...near.get(next)];
      entries += entriesOf(next, near, sizes);
      if (entries > most) return { order, scopes, entries: Infinity };
      order.push(next);
      scopes.push([next, ...own]);
      const changed = new Set(own);
      for (const one of own) {
        near.get(one).delete(next);
        for (const other of own) if (one !== other) near.get(one).add(other);
      }
      near.delete(next);
      cost.delete(next);
      if (rule.reach > 1) for (const one of own) for (const other of near.get(one)) changed.add(other);
      for (const node of changed) cost.set(node, rule.of(node, near, sizes));
    }
    return { order, scopes, entries };
  }

  const FEW = 1024; // entries for each variable, which take less time than a second elimination

  // The better of two greedy eliminations; of a small first one there is no need for the second.
  function eliminated(graph, sizes, most) {
    const first = greedy(graph, sizes, COSTS.entries, most);
    if (first.entries <= FEW * graph.size) return first;
    const second = greedy(graph, sizes, COSTS.fill, most);
    return second.entries < first.entries ? second : first;
  }

  return { graphOf, eliminated };
})();
