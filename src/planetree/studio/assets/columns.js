// Columns: what each holds, by class; what looks wrong; what is predicted, and what each may do.

import { api } from "./api.js";
import { button, choice, field, input, kindButton, note, part, say, tried } from "./parts.js";

const USES = [["use", "use"], ["ignore", "ignore"], ["required", "required"], ["forbidden", "forbidden"]];
const DIRECTIONS = [["", "either way"], ["increasing", "only raises the second class"], ["decreasing", "only lowers the second class"]];
const SHOWN = 400;
let kept = { key: null, found: null };

const choose = (changes) => tried(() => api("choose", { changes }))();
const without = (list, name) => list.filter((each) => each !== name);

const setUse = (recipe, name, use) =>
  choose(Object.fromEntries([["ignore", "ignore"], ["required", "required"], ["forbidden", "forbidden"]].map(([key]) => [key, use === key ? [...without(recipe[key], name), name] : without(recipe[key], name)])));
const setDirection = (recipe, name, direction) =>
  choose(Object.fromEntries(["increasing", "decreasing"].map((key) => [key, direction === key ? [...without(recipe[key], name), name] : without(recipe[key], name)])));
const setCost = (recipe, name, cost) => {
  const { [name]: _, ...others } = recipe.feature_costs;
  const value = Number(cost);
  return choose({ feature_costs: value > 0 ? { ...others, [name]: value } : others });
};

const histogram = ({ picture, kind, name }) => {
  if (!picture) return html("p", { class: "quiet" }, kind === "dates" ? "Dates: turn them into numbers on the first screen." : "No values to draw.");
  const drawn = svg("svg", { viewBox: "0 0 260 84", class: "wide", role: "img", "aria-label": `Histogram of ${name}` }, bars({ ...picture, thresholds: picture.names ? null : [] }, 2, 6, 256, 58));
  if (picture.names) {
    const step = 256 / picture.bars[0].length;
    picture.names.forEach((text, i) => drawn.append(svg("text", { x: 2 + step * (i + 0.5), y: 78, class: "small", "text-anchor": "middle" }, cutTo(text, step - 2))));
  } else
    drawn.append(svg("text", { x: 2, y: 78, class: "small" }, short(picture.low)), svg("text", { x: 258, y: 78, class: "small", "text-anchor": "end" }, short(picture.high)));
  return drawn;
};

const useOf = (recipe, name) => ["ignore", "required", "forbidden"].find((each) => recipe[each].includes(name)) ?? "use";

const fixes = (recipe, { name, flags }) =>
  flags.flatMap((text) => {
    const word = text.match(/cells such as '(.+?)'/);
    return word ? [button(`missing-${name}`, `Treat ${word[1]} as missing`, tried(() => api("reread", { how: { missing: [...recipe.missing, word[1]] } })), { class: "small-button" })] : [];
  });

const columnCard = (recipe, column, two) => {
  const { name, kind, missing, distinct, exact, flags } = column;
  if (name === recipe.target) return null;
  const use = useOf(recipe, name), id = (what) => `${what}-${name}`;
  const label = (text) => `${text}: ${name}`;
  return html("article", { class: `column ${use}`, "aria-label": name },
    html("h3", {}, html("bdi", {}, name)),
    html("p", { class: "quiet" }, kindButton(recipe, column), ` ${exact === false ? "about " : ""}${count(distinct)} distinct${missing ? `, ${count(missing)} missing` : ""}`),
    histogram(column),
    ...flags.map((text) => note(text, "warn")),
    ...fixes(recipe, column),
    html("div", { class: "row tight" },
      choice(id("use"), USES, use, (v) => setUse(recipe, name, v), { "aria-label": label("Use") }),
      two && kind === "numbers" ? choice(id("direction"), DIRECTIONS, ["increasing", "decreasing"].find((each) => recipe[each].includes(name)) ?? "", (v) => setDirection(recipe, name, v), { "aria-label": label("Direction") }) : null,
      input(id("cost"), recipe.feature_costs[name] ?? "", (v) => setCost(recipe, name, v), { type: "number", min: 0, step: "any", placeholder: "cost", "aria-label": label("Cost of measuring") })));
};

const targetPart = (recipe, survey, found) => {
  const options = [["", "choose a column"], ...survey.columns.map(({ name, distinct }) => [name, `${name} (${distinct} values)`])];
  const others = [["", "none"], ...survey.columns.map(({ name }) => [name, name])];
  const second = found.classes.length === 2 ? `Directions are about the second class, ${found.classes[1]}.` : null;
  return part("target-part", "What is predicted", second,
    html("div", { class: "row" },
      field("target", "Column to predict", choice("target", options, recipe.target, (v) => choose({ target: v || null, costs: [], class_weight: null }))),
      field("weight", "Weights of rows", choice("weight", others, recipe.weight, (v) => choose({ weight: v || null }))),
      field("group", "Count errors by", choice("group", others, recipe.group, (v) => choose({ group: v || null })))),
    html("ul", { class: "legend" }, ...found.classes.slice(0, 20).map((name, code) => html("li", {}, html("i", { class: "dot", style: `background:${color(code)}` }), html("bdi", {}, name || "(missing)"), found.counts?.[code] === undefined ? "" : ` ${count(found.counts[code])}`))),
    ...found.notes.map((text) => note(text, "warn")),
    button("fit-now", "Make the model", tried(async () => {
      await api("fit");
      location.hash = "model";
    }), { class: "primary", ...(recipe.target ? {} : { disabled: "" }) }));
};

export const columnsScreen = async (box, { project: { recipe, survey } }) => {
  const key = JSON.stringify([recipe.file, recipe.target, recipe.ignore, recipe.weight, recipe.missing, recipe.categorical, recipe.numeric, recipe.delimiter, recipe.decimal, recipe.encoding, recipe.header, recipe.dates]);
  if (kept.key !== key) {
    if (!box.children.length) box.replaceChildren(note("Looking at the columns …"));
    try {
      const found = await api("columns");
      if (found.file !== recipe.file || found.target !== recipe.target) return; // another page was faster: its change is drawn next
      kept = { key, found };
    } catch (error) {
      say(error.message);
      kept = { key: null, found: { classes: [], columns: survey.columns.map((each) => ({ ...each, picture: null, flags: [] })), notes: [] } };
    }
  }
  const { found } = kept, two = found.classes.length === 2;
  const sorted = [...found.columns].sort((a, b) => (b.flags.length > 0) - (a.flags.length > 0));
  const cards = sorted.slice(0, SHOWN).map((column) => columnCard(recipe, column, two)).filter(Boolean);
  const flagged = found.columns.filter(({ flags }) => flags.length).length;
  box.replaceChildren(
    targetPart(recipe, survey, found),
    part("columns", "Columns", `${survey.columns.length - 1} columns to learn from${flagged ? `; look at the ${flagged} with a remark first` : ""}. No decision reads a forbidden column, and at least one reads each required column. A cost makes a column worth less.`,
      html("div", { class: "cards" }, ...cards)));
};
