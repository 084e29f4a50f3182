// The goal: which mistakes cost more, how rows are kept unseen, what size is wanted.

import { api } from "./api.js";
import { button, choice, field, input, note, part, tried } from "./parts.js";

const METRICS = [["error", "error"], ["auc", "AUC"], ["average-precision", "average precision"], ["log-loss", "log loss"], ["brier", "Brier score"], ["recall", "recall"], ["precision", "precision"]];
const SIZES = [["smallest", "smallest"], ["balanced", "balanced"], ["accurate", "accurate"]];
const choose = (changes) => tried(() => api("choose", { changes }))();

const classesOf = async ({ recipe, fitted }) => {
  if (fitted && fitted.recipe.target === recipe.target && fitted.recipe.file === recipe.file) return fitted.classes;
  return (await api("columns")).classes.filter(Boolean);
};

const costTable = (recipe, classes) => {
  const known = new Map(recipe.costs.map((text) => [text.slice(0, text.lastIndexOf("=")), text.slice(text.lastIndexOf("=") + 1)]));
  const set = (pair, value) => {
    if (Number(value) > 0 && Number(value) !== 1) known.set(pair, String(Number(value)));
    else known.delete(pair);
    return choose({ costs: [...known].map(([each, cost]) => `${each}=${cost}`) });
  };
  const cell = (a, b) => {
    const pair = `${a} as ${b}`;
    return a === b ? html("span", { class: "quiet" }, "0") : input(`cost-${pair}`, known.get(pair) ?? 1, (v) => set(pair, v), { type: "number", min: 0, step: "any", "aria-label": `Cost of predicting ${b} for a row of ${a}` });
  };
  const head = html("tr", {}, html("th", {}, "actual class"), ...classes.map((name) => html("th", { scope: "col" }, "predicted ", html("bdi", {}, name))));
  const rows = classes.map((a) => html("tr", {}, html("th", { scope: "row" }, html("bdi", {}, a)), ...classes.map((b) => html("td", {}, cell(a, b)))));
  return html("div", { class: "scroll" }, html("table", { class: "costs" }, html("thead", {}, head), html("tbody", {}, ...rows)));
};

// What the rows of each class count: as they are, alike, or by numbers such as `yes=5,no=1`.
const weights = ({ class_weight: said }, classes) => {
  const named = classes.length <= 8 && !classes.some((name) => name.includes(","));
  const own = said !== null && said !== "balanced";
  const known = new Map(own ? said.split(",").map((text) => [text.slice(0, text.lastIndexOf("=")), text.slice(text.lastIndexOf("=") + 1)]) : []);
  const text = (changed = {}) => classes.map((name) => `${name}=${changed[name] ?? known.get(name) ?? 1}`).join(",");
  const ways = [["", "as in the table"], ["balanced", "balanced"], ...(named ? [["own", "by numbers"]] : [])];
  const set = (name) => (v) => choose({ class_weight: text({ [name]: Number(v) > 0 ? Number(v) : 1 }) });
  const fields = own ? classes.map((name) => field(`weight-${name}`, html("bdi", {}, name), input(`weight-${name}`, known.get(name) ?? 1, set(name), { type: "number", min: 0, step: "any", "aria-label": `Weight of ${name}` }))) : [];
  const way = choice("class-weight", ways, own ? "own" : said ?? "", (v) => choose({ class_weight: v === "own" ? text() : v || null }));
  return [field("class-weight", "Weights of classes", way, "Balanced: every class counts as much as any other."), ...fields];
};

export const goalScreen = async (box, { project }) => {
  const { recipe } = project;
  if (!recipe.target) {
    box.replaceChildren(part("goal", "Goal", "First choose the column to predict, on the Columns screen."));
    return;
  }
  const classes = await classesOf(project), files = await api("files");
  const others = [["", "folds of this table"], ...files.filter((name) => name !== recipe.file).map((name) => [name, name])];
  box.replaceChildren(
    part("mistakes", "Which mistakes cost more", "The model predicts the class with the least expected cost. 1 is the usual cost of a mistake.",
      classes.length <= 8 ? costTable(recipe, classes) : note("Costs are for up to eight classes."),
      html("div", { class: "row" }, ...weights(recipe, classes))),
    part("unseen", "How the error is measured", "Always on rows that the model did not learn from.",
      html("div", { class: "row" },
        field("test", "Held-out rows", choice("test", others, recipe.test ?? "", (v) => choose({ test: v || null }))),
        field("folds", "Folds of cross-validation", input("folds", recipe.folds ?? "", (v) => choose({ folds: v === "" ? null : Math.max(0, Math.round(Number(v))) }), { type: "number", min: 0, max: 50, placeholder: "10" })),
        field("metric", "Order methods by", choice("metric", METRICS, recipe.metric, (v) => choose({ metric: v }))))),
    part("wanted", "The size you want", "How much a term must be worth. Whatever you choose, the slider on the Model screen offers every size.",
      html("div", { class: "row" }, field("size", "Size", choice("size", SIZES, recipe.size, (v) => choose({ size: v })))),
      button("fit-goal", "Make the model", tried(async () => {
        await api("fit");
        location.hash = "model";
      }), { class: "primary" })));
};
