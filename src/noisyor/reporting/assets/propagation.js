// Exact answers from one network: messages in a tree of clusters, to the last variable and back
// (Lauritzen and Spiegelhalter, 1988). `observed` has a state for each variable, or null.
const propagation = (() => {
  "use strict";
  const { placesIn, sizeOf, Underflow, plain, logarithms, maxima } = tables;
  const { graphOf, eliminated } = elimination;

  const MOST_PLANS = 4; // that a network remembers

  // The tables would have more entries than are allowed.
  class TooDense extends Error {}

  const openOf = (sizes, observed) => sizes.map((_, variable) => variable).filter((variable) => observed[variable] === null);
  const workOn = (sizes) => {
    const work = { sizes: [...sizes], added: (size) => work.sizes.push(size) - 1 };
    return work;
  };

  // The causes of a large family are put together in the order in which they are eliminated from the
  // graph in which each of them is joined to the effect alone, so that the chain fits the rest.
  function causeRanks(families, sizes, observed, most) {
    const open = openOf(sizes, observed);
    const [all, scopes, hubs] = [[...sizes], [], []];
    for (const family of families) {
      const parents = family.parents.filter((parent) => observed[parent] === null);
      const isOpen = observed[family.child] === null;
      if (!factors.isLarge(family, observed)) {
        scopes.push(isOpen ? [family.child, ...parents] : parents);
        continue;
      }
      const hub = isOpen ? family.child : all.push(2) - 1;
      if (!isOpen) hubs.push(hub);
      for (const parent of parents) scopes.push([parent, hub]);
    }
    if (!families.some((family) => factors.isLarge(family, observed))) return () => 0;
    const { order } = eliminated(graphOf([...open, ...hubs], scopes), all, most);
    const place = new Map(order.map((variable, at) => [variable, at]));
    return (variable) => place.get(variable) ?? order.length;
  }

  // The clusters for factors of these scopes: where each factor goes, and which cluster each one reports to.
  function plan(scopes, sizes, observed, most) {
    const nodes = openOf(sizes, observed);
    const { order, scopes: clusters, entries } = eliminated(graphOf(nodes, scopes), sizes, most);
    if (entries > most) throw new TooDense();
    const place = new Map(order.map((variable, at) => [variable, at]));
    const first = (scope) => Math.min(...scope.map((variable) => place.get(variable)));
    const tree = clusters.map((scope) => {
      const rest = scope.slice(1);
      return { scope, rest, size: sizeOf(scope, sizes), restSize: sizeOf(rest, sizes), toRest: placesIn(scope, rest, sizes),
        parent: rest.length ? first(rest) : null, fromParent: null };
    });
    for (const cluster of tree) {
      if (cluster.parent !== null) cluster.fromParent = placesIn(tree[cluster.parent].scope, cluster.rest, sizes);
    }
    const homes = scopes.map((scope) => {
      if (!scope.length) return null;
      const at = first(scope);
      return { at, places: placesIn(tree[at].scope, scope, sizes) };
    });
    return { tree, homes, entries };
  }

  // Messages towards the last cluster. Returns the clusters' tables and the logarithm of their sum.
  function collected(found, { tree, homes }, algebra) {
    const beliefs = tree.map((cluster) => new Float64Array(cluster.size).fill(algebra.one));
    const messages = [];
    let logarithm = 0;
    found.forEach(({ values }, at) => {
      if (homes[at]) algebra.multiply(beliefs[homes[at].at], algebra.from(values), homes[at].places);
      else logarithm += Math.log(values[0]);
    });
    tree.forEach((cluster, at) => {
      const message = algebra.summed(beliefs[at], cluster.toRest, cluster.restSize);
      logarithm += algebra.scaled(message);
      messages.push(message);
      if (cluster.parent !== null) algebra.multiply(beliefs[cluster.parent], message, cluster.fromParent);
    });
    return { beliefs, messages, logarithm };
  }

  function statePlaces(size, states) {
    const places = new Int32Array(size);
    for (let at = 0; at < size; at += 1) places[at] = at % states;
    return places;
  }

  // The distribution of the first variable of each cluster, after messages back.
  function distributed({ tree }, { beliefs, messages }, algebra) {
    const chances = new Map();
    for (let at = tree.length - 1; at >= 0; at -= 1) {
      const { scope, size, parent, restSize, toRest, fromParent } = tree[at];
      if (parent !== null) {
        const back = algebra.ratio(algebra.summed(beliefs[parent], fromParent, restSize), messages[at]);
        algebra.scaled(back);
        algebra.multiply(beliefs[at], back, toRest);
      }
      const states = size / restSize; // of the first variable, which varies fastest
      const own = algebra.summed(beliefs[at], statePlaces(size, states), states);
      chances.set(scope[0], algebra.shares(own));
    }
    return chances;
  }

  // A network that remembers the clusters of its last questions: a change of a state needs no new ones.
  function makeNetwork(sizes, families, most) {
    const plans = new Map();
    // What the clusters depend on: which variables are observed, and effects at their lowest level.
    const shapeOf = (observed) => families.map((family) => {
      const state = observed[family.child];
      if (state === null) return "-";
      return family.effect !== "table" && state === (family.effect === "min" ? sizes[family.child] - 1 : 0) ? "0" : "1";
    }).join("");

    function factorsFor(observed, ranks) {
      const work = workOn(sizes);
      const found = families.flatMap((family) => (family.effect === "table"
        ? [factors.tableFactor(family, observed, sizes)]
        : factors.causeFactors(work, family, observed, ranks)));
      return { found, sizes: work.sizes };
    }

    function prepared(observed) {
      const shape = shapeOf(observed);
      const known = plans.get(shape);
      if (known) return { own: known, found: factorsFor(observed, known.ranks).found };
      const ranks = causeRanks(families, sizes, observed, most);
      const { found, sizes: all } = factorsFor(observed, ranks);
      const scopes = found.map((one) => one.scope);
      const inScopes = new Set(scopes.flat()); // an effect that is present for certain is in none
      const links = all.slice(sizes.length).map((_, at) => (inScopes.has(sizes.length + at) ? null : 0));
      if (plans.size >= MOST_PLANS) plans.delete(plans.keys().next().value);
      const own = { ranks, ...plan(scopes, all, [...observed, ...links], most) };
      plans.set(shape, own);
      return { own, found };
    }

    // The chances of the states of every variable, null if the evidence is impossible, the logarithm of
    // its probability, and the number of table entries that it took.
    function posteriors(observed) {
      const { own, found } = prepared(observed);
      const solve = (algebra) => {
        const up = collected(found, own, algebra);
        return { ...up, chances: up.logarithm === -Infinity ? null : distributed(own, up, algebra) };
      };
      const { logarithm, chances } = quickly(solve);
      const { entries } = own;
      if (chances === null) return { logarithm, entries, chances };
      return { logarithm, entries, chances: sizes.map((size, variable) => (observed[variable] === null
        ? chances.get(variable) : Float64Array.from({ length: size }, (_, state) => Number(state === observed[variable])))) };
    }
    function quickly(solve) {
      try {
        return solve(plain);
      } catch (error) {
        if (!(error instanceof Underflow)) throw error;
        return solve(logarithms);
      }
    }

    // The most probable states of all variables together, and the logarithm of their probability.
    function mostProbable(observed) {
      const work = workOn(sizes);
      const found = families.flatMap((family) => {
        if (family.effect === "table") return [factors.tableFactor(family, observed, sizes)];
        const state = observed[family.child];
        const lowest = family.effect === "min" ? sizes[family.child] - 1 : 0;
        if (state === lowest) return factors.causeFactors(work, family, observed, () => 0);
        if (factors.expandedSize(family, observed, sizes) > most) throw new TooDense();
        return [factors.expanded(work, family, observed)];
      });
      const own = plan(found.map((one) => one.scope), sizes, observed, most);
      const { beliefs, logarithm } = collected(found, own, maxima);
      if (logarithm === -Infinity) return { logarithm, states: null };
      const states = [...observed];
      for (let at = own.tree.length - 1; at >= 0; at -= 1) {
        const [variable, ...rest] = own.tree[at].scope;
        let [start, step] = [0, sizes[variable]];
        for (const other of rest) {
          start += step * states[other];
          step *= sizes[other];
        }
        const row = beliefs[at].subarray(start, start + sizes[variable]);
        states[variable] = row.reduce((best, value, state) => (value > row[best] ? state : best), 0);
      }
      return { logarithm, states };
    }
    return { posteriors, mostProbable };
  }

  return { makeNetwork, TooDense };
})();
