// Compare: methods as points of error against size, on the same folds; and the search of SET-GEN.

import { api } from "./api.js";
import { button, chart, check, field, input, note, part, roundedPercent, table, tried } from "./parts.js";

const METHODS = ["sparse-planes", "c45", "sklearn-tree", "sklearn-logistic", "plane", "sparse-plane", "planes", "minimized-planes", "holdout", "multisurface", "two-planes", "quadratic-plane", "set-gen"];
const chosen = new Set(METHODS.slice(0, 5));
let seconds = 60, evaluations = 1000;

// Error with its interval, or the AUC if that is what methods are ordered by.
const points = (records, metric) => {
  const of = metric === "auc" ? "auc" : "error";
  const known = records.filter((each) => each[of] !== null && each[of] !== undefined && each.terms !== null);
  if (!known.length) return null;
  const narrow = innerWidth <= 560; // room for names to the right of points
  const most = Math.max(1, ...known.map(({ terms }) => terms)) * (narrow ? 1.6 : 1.3);
  const ends = of === "auc" ? [Math.min(0.5, ...known.map(({ auc }) => auc)), 1] : [0, Math.max(...known.map(({ high }) => high))];
  const axes = { x: [0, most], y: ends, width: narrow ? 380 : 700, height: 340, across: { name: "terms (average over the folds)", text: (v) => String(Number(v.toPrecision(3))) }, up: of === "auc" ? { name: "AUC", text: (v) => v.toFixed(2) } : { name: "error", text: roundedPercent } };
  return chart(`${of === "auc" ? "AUC" : "Error"} of each method against its size`, axes, (picture, px, py) => {
    const placed = [];
    for (const each of [...known].sort((a, b) => b[of] - a[of])) {
      const x = px(each.terms), y = py(each[of]);
      let line = y + 4;
      while (placed.some(([a, b]) => Math.abs(a - x) < 110 && Math.abs(b - line) < 13)) line += 1;
      placed.push([x, line]);
      picture.append(svg("g", { class: each.undominated ? "point front" : "point" }, svg("title", {}, `${each.method}: ${each.error_text} (${each.interval_text})`), of === "error" ? svg("line", { x1: x, x2: x, y1: py(each.low), y2: py(each.high), class: "interval" }) : null, svg("circle", { cx: x, cy: y, r: 5 }), svg("text", { x: x + 9, y: line, class: "small" }, each.method)));
    }
  });
};

const adopt = (project, method) => tried(async () => {
  await api("choose", { changes: { method } });
  await api("fit");
  location.hash = "model";
});

const recordsTable = (project, records) => {
  const size = (value) => (value === null || value === undefined ? "–" : String(Number(value.toPrecision(3))));
  const rows = records.map((each) => [html("span", { title: each.line }, each.method), each.error_text, each.interval_text, each.auc === null || each.auc === undefined ? "–" : each.auc.toFixed(3), size(each.leaves), size(each.columns), size(each.terms), each.p === null || each.p === undefined ? "" : each.p.toFixed(3), each.undominated ? "*" : "", each.reason ? html("span", { class: "quiet" }, each.reason) : each.can_be_adopted ? button(`adopt-${each.method}`, "Adopt", adopt(project, each.method), { class: "small-button" }) : ""]);
  return table(["method", "error", "95% interval", "AUC", "leaves", "columns", "terms", "p", "front", ""], rows, { class: "figures", label: "Methods" });
};

const comparePart = (project, work) => {
  const busy = work !== null;
  const boxes = METHODS.map((name) => check(`method-${name}`, name, chosen.has(name), (on) => (on ? chosen.add(name) : chosen.delete(name))));
  const records = project.comparison?.records ?? [];
  const stale = project.comparison && project.comparison.recipe.target !== project.recipe.target;
  return part("compare-part", "Compare methods", "All on the same folds. p: how likely a difference this large from the lowest error would be by chance. Front *: no other method has a lower error with as few terms.",
    html("fieldset", {}, html("legend", {}, "Methods"), html("div", { class: "row tight" }, ...boxes)),
    html("div", { class: "row" }, field("seconds", "Seconds for each", input("seconds", seconds, (v) => (seconds = Math.max(1, Number(v) || 60)), { type: "number", min: 1 })),
      button("compare", "Compare", tried(() => api("compare", { methods: [...chosen], time_limit: seconds })), { class: "primary", ...(busy ? { disabled: "" } : {}) })),
    stale ? note("These figures are of another target.", "warn") : null,
    records.length ? points(records, project.recipe.metric) : null, records.length ? recordsTable(project, records) : null,
    project.recipe.method !== "sparse-planes" ? html("p", {}, `The model is made by ${project.recipe.method}. `, button("adopt-own", "Go back to the readable tree", adopt(project, "sparse-planes"), { class: "small-button" })) : null);
};

const searchBox = (found) => {
  const { history, front, c45, kept, fitness, size, done, total } = found;
  const low = Math.min(...history.map(([, value]) => value)), high = Math.max(...history.map(([, value]) => value));
  const line = chart("Best fitness along the search", { x: [0, total], y: [low, high + 1e-9], across: { name: "evaluations", text: (v) => String(Math.round(v)) }, up: { name: "best fitness", text: (v) => v.toFixed(3) } }, (picture, px, py) => picture.append(svg("path", { d: `M${history.map(([n, value]) => `${px(n)} ${py(value)}`).join("L")}`, class: "curve main-line" })));
  const most = Math.max(1, ...front.map(({ size: nodes }) => nodes));
  const errors = front.map(({ accuracy }) => 1 - accuracy), top = Math.max(0.01, ...errors);
  const dots = chart("The front: error against nodes", { x: [0, most], y: [0, top], across: { name: "nodes", text: (v) => String(Math.round(v)) }, up: { name: "error in the folds of the search", text: roundedPercent } }, (picture, px, py) => front.forEach((each) => picture.append(svg("circle", { cx: px(each.size), cy: py(1 - each.accuracy), r: 4 }, svg("title", {}, `${each.features} columns`)))));
  return [
    html("p", { id: "search-words" }, `${done} of ${total} evaluations: fitness ${fitness}, ${kept.length} columns kept, ${size.leaves} leaves.`),
    html("p", { class: "quiet" }, `C4.5 with all columns, on unseen rows: error ${c45.error}, ${Number(c45.leaves.toPrecision(3))} leaves, ${Number(c45.columns.toPrecision(3))} columns.`),
    html("div", { class: "columns" }, line, dots), html("p", {}, "Kept: ", ...kept.flatMap((name, i) => [i ? ", " : "", html("bdi", {}, name)])),
  ];
};

const searchPart = (project, work) => {
  const live = work?.name === "search" ? work.progress?.search : null;
  const box = html("div", { id: "search-box" }), found = live ?? project.search;
  if (found) box.replaceChildren(...searchBox(found));
  return part("search-part", "SET-GEN: which columns does C4.5 need?", "A genetic search over subsets of columns. Pause it, close the page, come back: it goes on where it was.",
    html("div", { class: "row" }, field("evaluations", "Evaluations", input("evaluations", evaluations, (v) => (evaluations = Math.max(10, Math.round(Number(v) || 1000))), { type: "number", min: 10 })),
      button("search-start", found ? "Go on" : "Search", tried(() => api("search", { evaluations })), work ? { disabled: "" } : {})),
    box);
};

addEventListener("search-progress", ({ detail }) => document.getElementById("search-box")?.replaceChildren(...searchBox(detail)));

export const compareScreen = async (box, { project, work }) => {
  if (!project.recipe.target) box.replaceChildren(part("compare-part", "Compare methods", "Choose the column to predict first, on the screen of columns."));
  else box.replaceChildren(comparePart(project, work), searchPart(project, work));
};
