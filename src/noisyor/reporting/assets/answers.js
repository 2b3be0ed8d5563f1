// Answers averaged over the networks that the page holds, as the library computes them. The evidence does
// not change the weights of networks; it removes those in which it is impossible.
//
// Each question is a generator that yields after each network, so that the caller can pause.
const makeAnswers = (sizes, live) => {
  "use strict";
  const MOST_ENTRIES = 2 ** 21; // of the tables of one network
  const MOST_TOGETHER = 2 ** 24; // of all networks, about a second
  const NEAR = 1e-2; // nearer to 1, the difference of two almost equal numbers is computed as a series

  const networks = live.networks.map(({ weight, families }) => ({
    weight, network: propagation.makeNetwork(sizes, families.map((place) => live.families[place]), MOST_ENTRIES),
  }));

  // A question about the value of findings begins with the chances that were asked for just before.
  const last = new Map();
  function chancesIn(network, observed) {
    const key = observed.join();
    if (last.get(network)?.key !== key) last.set(network, { key, ...network.posteriors(observed) });
    return last.get(network);
  }

  const arrays = () => sizes.map((size) => new Float64Array(size));

  // Mean, least and most of each state's chance over the networks in which the evidence is possible.
  function* posteriors(observed) {
    const found = { mean: arrays(), least: arrays().map((one) => one.fill(1)), most: arrays(), possible: 0, impossible: 0, networks: 0 };
    let total = 0;
    for (const { weight, network } of networks) {
      const { chances, entries } = chancesIn(network, observed);
      total += entries;
      if (total > MOST_TOGETHER) throw new propagation.TooDense();
      if (chances === null) {
        found.impossible += weight;
      } else {
        found.possible += weight;
        found.networks += 1;
        chances.forEach((own, variable) => own.forEach((chance, state) => {
          found.mean[variable][state] += weight * chance;
          if (chance < found.least[variable][state]) found.least[variable][state] = chance;
          if (chance > found.most[variable][state]) found.most[variable][state] = chance;
        }));
      }
      yield;
    }
    if (!found.networks) return null;
    // A mean of equal numbers may differ from them by rounding.
    found.mean = found.mean.map((own, variable) => own.map((sum, state) =>
      Math.min(Math.max(sum / found.possible, found.least[variable][state]), found.most[variable][state])));
    return found;
  }

  // The most probable states in the best of the networks, with their probability given the evidence.
  function mostProbable(observed) {
    const { network } = networks[0];
    const { logarithm, states } = network.mostProbable(observed);
    if (states === null) return null;
    return { states, logarithm, posterior: Math.exp(Math.min(0, logarithm - chancesIn(network, observed).logarithm)) };
  }

  // The value of each open variable for a target: the expected drop of the target's entropy when it
  // becomes known, most valuable first. One question for each state of the target answers for all.
  function* information(target, observed) {
    const joints = sizes.map((size) => Array.from({ length: sizes[target] }, () => new Float64Array(size)));
    const chances = new Float64Array(sizes[target]);
    let possible = 0;
    for (const { weight, network } of networks) {
      const before = chancesIn(network, observed).chances;
      yield;
      if (before === null) continue;
      possible += weight;
      for (let state = 0; state < sizes[target]; state += 1) {
        const chance = before[target][state];
        chances[state] += weight * chance;
        if (chance === 0) continue;
        const after = network.posteriors(observed.map((own, variable) => (variable === target ? state : own))).chances;
        after.forEach((own, variable) => own.forEach((one, at) => { joints[variable][state][at] += weight * chance * one; }));
        yield;
      }
    }
    if (!possible) return null;
    const total = entropy(chances.map((one) => one / possible));
    const found = [];
    sizes.forEach((_, variable) => {
      if (variable === target || observed[variable] !== null) return;
      const drop = Math.min(mutual(joints[variable].map((row) => row.map((one) => one / possible))), total);
      found.push({ variable, drop, share: total > 0 ? drop / total : 0 });
    });
    found.sort((a, b) => b.drop - a.drop);
    return { entropy: total, findings: found };
  }

  const entropy = (chances) => Math.max(0, -chances.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0));

  // The mutual information of two variables from their joint, as a sum of terms that are not negative:
  // the mean of r ln r - r + 1 under independence, r being the ratio of the joint to independence.
  function mutual(joint) {
    const rows = joint.map((row) => row.reduce((a, b) => a + b, 0));
    const columns = joint[0].map((_, at) => joint.reduce((sum, row) => sum + row[at], 0));
    let sum = 0;
    joint.forEach((row, at) => row.forEach((value, to) => {
      const independent = rows[at] * columns[to];
      if (independent > 0) sum += independent * excess(value / independent - 1);
    }));
    return sum;
  }

  // (1 + d) ln(1 + d) - d.
  function excess(d) {
    if (Math.abs(d) >= NEAR) return (d > -1 ? (1 + d) * Math.log(1 + d) : 0) - d;
    let series = 0;
    for (let power = 8; power >= 0; power -= 1) series = 1 / ((power + 1) * (power + 2)) - d * series;
    return d * d * series;
  }

  return { posteriors, mostProbable, information };
};
