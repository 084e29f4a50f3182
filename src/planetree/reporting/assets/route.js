// The way of a row through the tree, by the rules of planetree's Tree and Planes.
// A cell is a number, a category code, -1 for a category that training did not have, or null where
// it is missing.

const term = (cells, split, t) => {
  const cell = cells[split.columns[t]];
  if (split.factors[t] >= 0) {
    const factor = cells[split.factors[t]];
    return cell === null || factor === null ? null : cell * factor;
  }
  if (cell === null || split.categories[t] < 0) return cell;
  return cell === split.categories[t] ? 1 : 0;
};

// Scores of the planes of a decision, or null where a term they need is missing.
const scoresOf = (split, cells) => {
  const scores = [];
  for (let p = 0; p < split.offsets.length; p++) {
    let sum = 0;
    for (let t = 0; t < split.columns.length; t++) {
      const value = term(cells, split, t);
      if (value === null) return null;
      sum += split.weights[p][t] * value;
    }
    scores.push(sum - split.offsets[p]);
  }
  return scores;
};

// Branch that the scores lead to; of equal largest scores the first.
const branchOf = (rule, scores) => {
  const above = scores.filter((score) => score > 0).length;
  if (rule === "slabs") return above;
  if (rule === "argmax") return scores.indexOf(Math.max(...scores));
  if (rule === "both") return above === scores.length ? 1 : 0;
  return above === scores.length || above === 0 ? 1 : 0;
};

const decide = (split, cells) => {
  if (split.branches) {
    const code = cells[split.column];
    return { scores: null, branch: code === null ? split.unknown : (split.branches[code] ?? -1) };
  }
  const scores = scoresOf(split, cells);
  return { scores, branch: scores === null ? -1 : branchOf(split.rule, scores) };
};

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const product = (numbers) => numbers.reduce((a, b) => a * b, 1);

// Share with which scores take each branch of a graded decision.
const sharesOf = ({ rule, spread }, scores) => {
  if (rule === "argmax") {
    const most = Math.max(...scores);
    const odds = scores.map((score) => Math.exp((score - most) / spread));
    return odds.map((each) => each / total(odds));
  }
  const above = scores.map((score) => sigmoid(score / spread));
  const below = scores.map((score) => sigmoid(-score / spread));
  if (rule === "slabs") {
    above.sort((a, b) => b - a);
    below.sort((a, b) => a - b);
    return [...below, 1].map((share, p) => share * product(above.slice(0, p)));
  }
  const up = product(above) + (rule === "same_side" ? product(below) : 0);
  return [1 - up, up];
};

// What each branch gets of a row: by the scores if graded, by the training rows if not known.
const partsOf = ({ split, children, parts }, { scores, branch }, graded) => {
  if (branch < 0) return parts;
  if (graded && split.spread) return sharesOf(split, scores);
  return children.map((_, b) => (b === branch ? 1 : 0));
};

// Nodes that a row reaches, from the root on, each with its share, its scores and its branch.
const travel = (nodes, cells, graded = false) => {
  const visits = [];
  const pending = [[0, 1]];
  while (pending.length) {
    const [node, share] = pending.pop();
    const { split, children } = nodes[node];
    const visit = { node, share, scores: null, branch: -1 };
    visits.push(visit);
    if (!split) continue;
    Object.assign(visit, decide(split, cells));
    const parts = partsOf(nodes[node], visit, graded);
    for (let b = children.length - 1; b >= 0; b--)
      if (parts[b] > 0) pending.push([children[b], share * parts[b]]);
  }
  return visits;
};

// Share of each class in the leaves among some visits.
const distribution = (model, visits) => {
  const sums = model.classes.map(() => 0);
  for (const { node, share } of visits)
    if (!model.nodes[node].split) model.nodes[node].shares.forEach((part, c) => (sums[c] += share * part));
  const all = total(sums);
  return sums.map((sum) => sum / all);
};

const expected = (shares, costs) => shares.map((_, c) => shares.reduce((cost, s, i) => cost + s * costs[i][c], 0));

// Probabilities p mixed with others until each answer is dearer than the class by its margin.
const toward = (mistakes, p, other, code, margin) => {
  const [now, then] = [p, other].map((shares) => expected(shares, mistakes)).map((costs) => costs.map((cost) => cost - costs[code]));
  const need = now.map((dearer, c) => {
    const short = margin * mistakes[code][c] - dearer;
    return short > 0 && then[c] > dearer ? short / (then[c] - dearer) : 0;
  });
  const t = Math.min(1, Math.max(...need));
  return t > 0 ? p.map((share, c) => (1 - t) * share + t * other[c]) : p;
};

// Mixed with those of the way, h, then with the class itself: planetree.grading.keep_class.
const keepClass = ({ mistakes, margin }, p, h, code) => {
  const certain = p.map((_, c) => (c === code ? 1 : 0));
  return toward(mistakes, toward(mistakes, p, h, code, 0), certain, code, margin);
};

// Class that a row is given, and the probability of each class where the model gives them.
const answer = (model, cells, visits) => {
  const leaves = visits.filter(({ node }) => !model.nodes[node].split);
  const own = model.nodes[leaves[0].node].code;
  if (!model.givesShares) return { code: own, shares: null };
  const way = distribution(model, visits);
  const shares = distribution(model, travel(model.nodes, cells, true));
  const cheapest = (each) => {
    const costs = expected(each, model.costs);
    return model.order.reduce((best, c) => (costs[c] < costs[best] ? c : best));
  };
  if (model.missing && !model.keepsClass) return { code: cheapest(shares), shares };
  const code = leaves.length === 1 ? own : cheapest(way);
  return { code, shares: model.keepsClass ? keepClass(model, shares, way, code) : shares };
};

// Where a row lies along a decision, in the units of its picture; null where no line shows it.
const position = ({ split, said = split, picture }, cells) => {
  if (!picture || !picture.thresholds) return null;
  const scores = scoresOf(said, cells);
  return scores === null ? null : along(said, scores, picture);
};

const along = (split, scores, { plane, factor }) => {
  if (plane >= 0) return (scores[plane] + split.offsets[plane]) * factor;
  const least = Math.min(...scores);
  if (split.rule === "both") return least;
  if (split.rule === "same_side") return Math.max(least, -Math.max(...scores));
  return scores[1] - scores[0];
};
