// The way of a row through the tree, by the rules of planetree's Tree and Planes.
// A cell is a number, a category code, or null where it is missing.

const term = (cells, split, t) => {
  const cell = cells[split.columns[t]];
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
    return { scores: null, branch: code === null ? -1 : split.branches[code] };
  }
  const scores = scoresOf(split, cells);
  return { scores, branch: scores === null ? -1 : branchOf(split.rule, scores) };
};

// Nodes that a row reaches, from the root on, each with its share, its scores and its branch.
const travel = (nodes, cells) => {
  const visits = [];
  const pending = [[0, 1]];
  while (pending.length) {
    const [node, share] = pending.pop();
    const { split, children, parts } = nodes[node];
    const visit = { node, share, scores: null, branch: -1 };
    visits.push(visit);
    if (!split) continue;
    Object.assign(visit, decide(split, cells));
    for (let b = children.length - 1; b >= 0; b--) {
      const part = visit.branch < 0 ? parts[b] : b === visit.branch ? 1 : 0;
      if (part > 0) pending.push([children[b], share * part]);
    }
  }
  return visits;
};

// Class that a row is given, and the share of each class where the model gives shares.
const answer = (model, visits) => {
  const leaves = visits.filter(({ node }) => !model.nodes[node].split);
  if (!model.givesShares) return { code: model.nodes[leaves[0].node].code, shares: null };
  const sums = model.classes.map(() => 0);
  for (const { node, share } of leaves)
    model.nodes[node].shares.forEach((part, c) => (sums[c] += share * part));
  const total = sums.reduce((a, b) => a + b, 0);
  const shares = sums.map((sum) => sum / total);
  if (leaves.length === 1) return { code: model.nodes[leaves[0].node].code, shares };
  const costs = shares.map((_, c) => shares.reduce((cost, s, i) => cost + s * model.costs[i][c], 0));
  const code = model.order.reduce((best, c) => (costs[c] < costs[best] ? c : best));
  return { code, shares };
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
