// A network with evidence as factors, small tables whose product is the probability of everything. Many
// causes of one child become a chain of small tables: each has one more cause than the one before.
//
// A family is { child, parents, effect, values }. The values of a "table" are the chances of the child's
// states for each configuration of the parents, the first of which varies fastest. Those of "max" and
// "min" are q for each level of the child: for each state of each parent, then for the leak. The child's
// level is the highest that a cause brings about; of a minimum, level 0 is its last state.
const factors = (() => {
  "use strict";
  const { sizeOf, sliced } = tables;
  const MOST_TOGETHER = 3; // causes of a child that are one table

  const isLarge = ({ effect, parents }, observed) =>
    effect !== "table" && parents.filter((parent) => observed[parent] === null).length > MOST_TOGETHER;

  // The open causes of a family, each with q by state and level, and the leak's q by level, which the
  // observed causes are part of.
  function openCauses({ child, parents, values }, observed, sizes) {
    const levels = sizes[child] - 1;
    const rows = values.length / levels;
    const leak = [...values.slice((rows - 1) * levels)];
    const causes = [];
    let start = 0;
    for (const parent of parents) {
      const own = Array.from({ length: sizes[parent] }, (_, state) =>
        values.slice((start + state) * levels, (start + state + 1) * levels));
      start += sizes[parent];
      if (observed[parent] === null) causes.push({ variable: parent, q: own });
      else own[observed[parent]].forEach((q, level) => { leak[level] *= q; });
    }
    return { levels, leak, causes };
  }

  const levelOf = (family, state, sizes) => (family.effect === "min" ? sizes[family.child] - 1 - state : state);

  // P(level) from the chance that no cause acts at each level, and that one does. All terms are positive.
  function levelChances(absent, present) {
    const chances = [];
    let above = 1;
    for (let level = absent.length; level > 0; level -= 1) {
      chances[level] = above * present[level - 1];
      above *= absent[level - 1];
    }
    chances[0] = above;
    return chances;
  }

  // One table of a few causes and their effect, the effect first.
  function together(leak, causes, effect, sizes) {
    const scope = [effect, ...causes.map((cause) => cause.variable)];
    const values = new Float64Array(sizeOf(scope, sizes));
    const count = values.length / sizes[effect];
    for (let configuration = 0; configuration < count; configuration += 1) {
      const [absent, present] = [[...leak], leak.map((q) => 1 - q)];
      let rest = configuration;
      for (const { variable, q } of causes) {
        q[rest % sizes[variable]].forEach((own, level) => {
          present[level] += absent[level] * (1 - own);
          absent[level] *= own;
        });
        rest = Math.floor(rest / sizes[variable]);
      }
      values.set(levelChances(absent, present), configuration * sizes[effect]);
    }
    return { scope, values };
  }

  // The effect of one more cause on what those before it brought about: the higher level of the two.
  function oneMore({ variable, q }, before, effect, sizes) {
    const scope = [effect, before, variable];
    const levels = sizes[effect];
    const values = new Float64Array(sizeOf(scope, sizes));
    q.forEach((own, state) => {
      const chances = levelChances(own, own.map((one) => 1 - one));
      let below = 0;
      for (let level = 0; level < levels; level += 1) {
        below += chances[level];
        const start = level + levels * levels * state;
        for (let lower = 0; lower < level; lower += 1) values[start + levels * lower] = chances[level];
        values[start + levels * level] = below;
      }
    });
    return { scope, values };
  }

  // The effect, first in the scope, in the order of the child's states, or at level 1 for certain.
  function withReversed({ scope, values }, levels) {
    const place = (at) => at - (at % levels) + levels - 1 - (at % levels);
    return { scope, values: values.map((_, at) => values[place(at)]) };
  }
  const withPresent = ({ scope, values }) => ({ scope: scope.slice(1), values: values.filter((_, at) => at % 2) });

  // Tables of causes and their effect, a chain if there are many; the last one is closed by `close`.
  // `work` has the sizes of all variables, to which the links of a chain are added.
  function joined(work, leak, causes, effect, close) {
    const { sizes } = work;
    if (causes.length <= MOST_TOGETHER) return [close(together(leak, causes, effect, sizes))];
    let before = work.added(sizes[effect]);
    const found = [together(leak, causes.slice(0, 2), before, sizes)];
    causes.slice(2, -1).forEach((cause) => {
      const next = work.added(sizes[effect]);
      found.push(oneMore(cause, before, next, sizes));
      before = next;
    });
    return [...found, close(oneMore(causes[causes.length - 1], before, effect, sizes))];
  }

  // The factors of a family with causes, which come in the order of `rank`.
  function causeFactors(work, family, observed, rank) {
    const { sizes } = work;
    const { leak, causes } = openCauses(family, observed, sizes);
    causes.sort((a, b) => rank(a.variable) - rank(b.variable));
    const state = observed[family.child];
    const levels = sizes[family.child];
    if (state === null) {
      const close = (table) => (family.effect === "min" ? withReversed(table, levels) : table);
      return joined(work, leak, causes, family.child, close);
    }
    // At level y, each cause brings about at most y, so its q of all levels above count, and one of
    // them reaches y.
    const level = family.effect === "min" ? levels - 1 - state : state;
    const above = (q) => q.slice(level).reduce((product, one) => product * one, 1);
    const found = [{ scope: [], values: Float64Array.of(above(leak)) }];
    for (const { variable, q } of causes) found.push({ scope: [variable], values: Float64Array.from(q, above) });
    if (level === 0) return found;
    const reaching = causes.map(({ variable, q }) => ({ variable, q: q.map((own) => [own[level - 1]]) }));
    return [...found, ...joined(work, [leak[level - 1]], reaching, work.added(2), withPresent)];
  }

  // The full table of a family's causes that are open, for the most probable states.
  function expanded(work, family, observed) {
    const { sizes } = work;
    const { leak, causes } = openCauses(family, observed, sizes);
    const table = together(leak, causes, family.child, sizes);
    const inOrder = family.effect === "min" ? withReversed(table, sizes[family.child]) : table;
    return sliced(inOrder.scope, inOrder.values, observed, sizes);
  }

  // How many entries `expanded` needs on the way.
  const expandedSize = ({ child, parents }, observed, sizes) =>
    sizeOf([child, ...parents.filter((parent) => observed[parent] === null)], sizes);

  const tableFactor = ({ child, parents, values }, observed, sizes) => sliced([child, ...parents], values, observed, sizes);

  return { isLarge, causeFactors, expanded, expandedSize, tableFactor };
})();
