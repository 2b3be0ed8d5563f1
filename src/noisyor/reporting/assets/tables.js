// Tables of numbers over variables, and three ways to combine them. A table has the variables of its
// `scope`, of which the first varies fastest, and a value for each of their configurations.
const tables = (() => {
  "use strict";
  const TINY = 2 ** -1000; // a product below this may have lost digits

  const sizeOf = (scope, sizes) => scope.reduce((product, variable) => product * sizes[variable], 1);

  // For each configuration of `scope`, the place of the same one in a table over `inner`.
  function placesIn(scope, inner, sizes) {
    const steps = new Map();
    let step = 1;
    for (const variable of inner) {
      steps.set(variable, step);
      step *= sizes[variable];
    }
    const places = new Int32Array(sizeOf(scope, sizes));
    let filled = 1;
    for (const variable of scope) {
      const own = steps.get(variable) || 0;
      for (let state = 1; state < sizes[variable]; state += 1) {
        const start = state * filled;
        const shift = state * own;
        for (let at = 0; at < filled; at += 1) places[start + at] = places[at] + shift;
      }
      filled *= sizes[variable];
    }
    return places;
  }

  // The part of a table in which the observed variables have their states.
  function sliced(scope, values, observed, sizes) {
    const open = scope.filter((variable) => observed[variable] === null);
    let [base, step] = [0, 1];
    for (const variable of scope) {
      if (observed[variable] !== null) base += step * observed[variable];
      step *= sizes[variable];
    }
    if (open.length === scope.length) return { scope: open, values: Float64Array.from(values) };
    const places = placesIn(open, scope, sizes);
    return { scope: open, values: Float64Array.from(places, (place) => values[base + place]) };
  }

  class Underflow extends Error {}

  // Sums of products of plain numbers: quick, but a product of many small numbers may become zero.
  const plain = {
    one: 1,
    from: (values) => values,
    multiply(into, values, places) {
      for (let at = 0; at < into.length; at += 1) {
        const one = into[at];
        const other = values[places[at]];
        const product = one * other;
        if (product < TINY && one > 0 && other > 0) throw new Underflow();
        into[at] = product;
      }
    },
    summed(values, places, size) {
      const sums = new Float64Array(size);
      for (let at = 0; at < values.length; at += 1) sums[places[at]] += values[at];
      return sums;
    },
    ratio(values, by) {
      return values.map((value, at) => (value === 0 ? 0 : value / by[at]));
    },
    // Divides by the largest value; returns its logarithm, -Infinity if all are zero.
    scaled(values) {
      const most = values.reduce((a, b) => Math.max(a, b), 0);
      if (most > 0) for (let at = 0; at < values.length; at += 1) values[at] /= most;
      return Math.log(most);
    },
    shares(values) {
      const total = values.reduce((a, b) => a + b, 0);
      return values.map((value) => value / total);
    },
  };

  // The same with logarithms: nothing is too small.
  const logarithms = {
    one: 0,
    from: (values) => values.map(Math.log),
    multiply(into, values, places) {
      for (let at = 0; at < into.length; at += 1) into[at] += values[places[at]];
    },
    summed(values, places, size) {
      const most = maxima.summed(values, places, size);
      const sums = new Float64Array(size);
      for (let at = 0; at < values.length; at += 1) {
        if (values[at] > -Infinity) sums[places[at]] += Math.exp(values[at] - most[places[at]]);
      }
      return sums.map((sum, at) => (sum === 0 ? -Infinity : most[at] + Math.log(sum)));
    },
    ratio(values, by) {
      return values.map((value, at) => (value === -Infinity ? value : value - by[at]));
    },
    scaled(values) {
      const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
      if (most > -Infinity) for (let at = 0; at < values.length; at += 1) values[at] -= most;
      return most;
    },
    shares(values) {
      const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
      return plain.shares(values.map((value) => Math.exp(value - most)));
    },
  };

  // Maxima of products of logarithms, for the most probable states.
  const maxima = {
    ...logarithms,
    summed(values, places, size) {
      const most = new Float64Array(size).fill(-Infinity);
      for (let at = 0; at < values.length; at += 1) {
        if (values[at] > most[places[at]]) most[places[at]] = values[at];
      }
      return most;
    },
  };

  return { sizeOf, placesIn, sliced, Underflow, plain, logarithms, maxima };
})();
