// Rows: those that are wrong or near a border; the way of one, what its terms add, what would change it.

import { api } from "./api.js";
import { button, check, choice, field, input, note, part, table, tried } from "./parts.js";

const FILTERS = [["all", "all rows"], ["errors", "predicted wrongly"], ["border", "least sure first"]];
const asked = {};
const limits = {};
let file = null, chosen = null, group = "", found = null;

// What was asked about one table is not asked about another.
const forget = () => {
  Object.assign(asked, { filter: "errors", column: "", value: "", offset: 0 });
  Object.assign(limits, { max_changes: 3, changeable: [] });
  [chosen, group, found] = [null, "", null];
};

const number = (value) => (typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value ?? "missing"));

const filterPart = (names, redraw) => html("div", { class: "row" },
  field("filter", "Show", choice("filter", FILTERS, asked.filter, (v) => redraw({ filter: v, offset: 0 }))),
  field("by-column", "Where", choice("by-column", [["", "any column"], ...names.map((name) => [name, name])], asked.column, (v) => redraw({ column: v, offset: 0 }))),
  field("by-value", "has", input("by-value", asked.value, (v) => redraw({ value: v, offset: 0 }), { placeholder: "> 50, or a word; empty: missing" })));

const rowsTable = (found, show) =>
  table(["row", "class", "predicted", "probability", ...found.columns], found.rows.map(({ number: n, class: own, answer, sure, cells }) => [
    button(`row-${n}`, `Row ${n}`, () => show(n), { class: "small-button" }), own, answer === own ? answer : html("b", { class: "wrong" }, html("bdi", {}, answer)), sure, ...cells]), { class: "cells", label: "Rows" });

const added = (terms) => {
  const most = Math.max(1e-12, ...terms.map(({ adds }) => Math.abs(adds ?? 0)));
  return html("ul", { class: "adds" }, ...terms.map(({ term: name, adds }) => html("li", {}, html("bdi", {}, name),
    svg("svg", { viewBox: "0 0 200 10", class: "add", "aria-hidden": "true" }, svg("line", { x1: 100, x2: 100, y1: 0, y2: 10, class: "axis" }), svg("rect", { x: adds < 0 ? 100 - (98 * -adds) / most : 100, width: (98 * Math.abs(adds ?? 0)) / most, y: 2, height: 6, class: "added" })), html("span", {}, adds === null ? "missing" : short(adds)))));
};

const stepItem = ({ asks, has, way, unsure, terms = [] }) =>
  html("li", {}, html("bdi", {}, asks.join(" ")), html("b", {}, ` is ${has.map(number).join(", ")}: `, html("bdi", {}, way)), unsure ? html("span", { class: "quiet" }, ` ${unsure}`) : null, terms.length > 1 ? added(terms) : null);

const explained = (why, names, redraw) => {
  const shares = Object.entries(why.shares ?? {}).map(([name, share]) => html("li", {}, html("bdi", {}, name), html("span", { class: "meter" }, html("i", { style: `width:${100 * share}%;background:var(--accent)` })), html("span", {}, percent(share))));
  const single = why.changes.map(({ column, value, new_value: next, answer }) => html("li", {}, html("bdi", {}, column), `: ${number(value)} → ${number(next)} gives `, html("bdi", {}, answer)));
  const cheapest = why.counterfactuals.map(({ text, proved }) => html("li", {}, html("bdi", {}, text), proved ? html("span", { class: "badge" }, "✓ none is cheaper") : null));
  const fixed = names.filter((name) => limits.changeable.length && !limits.changeable.includes(name));
  const toggles = names.map((name) => check(`change-${name}`, name, !fixed.includes(name), (on) => {
    const base = limits.changeable.length ? limits.changeable : names;
    limits.changeable = on ? [...base, name] : base.filter((each) => each !== name);
    redraw();
  }));
  return part("row-part", `Row ${why.row}: predicted ${why.answer}, actually ${why.class}`, null,
    html("div", { class: "columns" },
      html("div", {}, html("h3", {}, "Why"), html("ul", { class: "shares" }, ...shares), html("ol", { id: "way" }, ...why.steps.map(stepItem)),
        why.radius ? html("p", { class: "quiet" }, `Number changes that add up to less than ${(Math.floor(why.radius * 100) / 100).toFixed(2)} deviations do not change it.`) : null),
      html("div", {}, html("h3", {}, "What would change it"), single.length ? html("div", {}, html("p", { class: "quiet" }, "One column alone, smallest change first:"), html("ul", {}, ...single)) : html("p", { class: "quiet" }, "No change of a single column does."),
        html("p", { class: "quiet" }, "The cheapest changes, each with its proof:"), why.limits ? note(why.limits) : html("ul", { id: "counterfactuals" }, ...(cheapest.length ? cheapest : [html("li", {}, "None within these limits.")])),
        html("details", { id: "limits" }, html("summary", {}, "Which columns may change"), field("max-changes", "Columns to change at most", input("max-changes", limits.max_changes, (v) => {
          limits.max_changes = Math.max(1, Math.round(Number(v) || 3));
          redraw();
        }, { type: "number", min: 1, max: 20 })), html("div", { class: "row tight" }, ...toggles)))));
};

const groupsPart = async (names) => {
  const pick = choice("group-by", [["", "choose a column"], ...names.map((name) => [name, name])], group, tried(async (name) => {
    group = name;
    await fill();
  }));
  const box = html("div", { id: "group-table" });
  const fill = async () => {
    if (!group) return;
    try {
      const { how, classes, groups } = await api("groups", { column: group });
      box.replaceChildren(html("p", { class: "quiet" }, `Counted on ${how}. Where the intervals of two groups overlap widely, they may differ by chance.`), table([group, "rows", "error", "95% interval", ...classes.map((name) => `recall of ${name}`)], groups.map(({ name, rows, error, interval, recall }) => [name, count(rows), error, interval, ...recall])));
    } catch (error) {
      box.replaceChildren(note(error.message, "warn"));
    }
  };
  await fill();
  return part("groups-part", "Errors by group", "Whether the model does better for some than for others.", html("div", { class: "row" }, field("group-by", "Divide rows by", pick)), box);
};

export const rowsScreen = async (box, { project }) => {
  if (project.recipe.file !== file) forget();
  file = project.recipe.file;
  const redraw = tried(async (changes = {}) => {
    Object.assign(asked, changes);
    await draw();
  });
  const show = tried(async (n) => {
    chosen = n;
    await draw();
    document.getElementById("row-part")?.scrollIntoView({ block: "nearest" });
  });
  const draw = async () => {
    try {
      found = await api("rows", { chosen: asked });
    } catch (error) {
      if (!found) throw error;
      box.querySelector("#rows-note")?.replaceChildren(note(error.message, "warn"));
      return;
    }
    const given = { max_changes: limits.max_changes, ...(limits.changeable.length ? { changeable: limits.changeable } : {}) };
    const why = chosen === null ? null : await api("row", { number: chosen, limits: given });
    const open = box.querySelector("#limits")?.open;
    const more = [button("earlier", "Previous", () => redraw({ offset: Math.max(0, asked.offset - 50) }), asked.offset ? {} : { disabled: "" }), button("later", "Next", () => redraw({ offset: asked.offset + 50 }), asked.offset + 50 < found.total ? {} : { disabled: "" })];
    const list = part("rows-part", `${count(found.total)} rows`, "The training rows, with what the model predicts for them. Click one to see why.", filterPart(found.all_columns, redraw), html("div", { id: "rows-note" }), rowsTable(found, show), html("div", { class: "row" }, ...more));
    box.replaceChildren(list, ...(why ? [explained(why, found.columns, () => redraw())] : []), await groupsPart(found.all_columns));
    if (open) box.querySelector("#limits").open = true;
  };
  await draw();
};
