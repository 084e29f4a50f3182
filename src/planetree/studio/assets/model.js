// The model: its tree, the slider of sizes, what it is worth on unseen rows, rules, threshold, proofs.

import { api } from "./api.js";
import { button, chart, note, part, roundedPercent, table, tiles, tried } from "./parts.js";
import { Question } from "./question.js";

let view = null; // what stays while the model changes: the drawing and its frame

// Sizes of the slider, smallest first; the tree that fitting keeps stands for the others of its size.
export const stopsOf = ({ sizes }) => {
  const kept = sizes.find(({ at }) => at === null);
  return sizes.filter(({ at, terms }) => at === null || terms !== kept.terms).sort((a, b) => a.terms - b.terms);
};

const presentStop = ({ fitted, terms }) => fitted.sizes.find(({ at }) => at === terms) ?? fitted.sizes[0];

const controls = () => {
  const zoom = [["closer", "+", "Zoom in"], ["farther", "−", "Zoom out"], ["fit-width", "Fit", "Fit to the width"], ["expand", "Expand", "Show every node"], ["collapse", "Collapse", "Show the first decision only"]];
  return html("div", { class: "buttons" }, ...zoom.map(([id, text, title]) => html("button", { id, class: "of-frame", title, "aria-label": title, type: "button" }, text)),
    html("span", { class: "search of-frame" }, html("input", { id: "search", type: "search", placeholder: "Find a column or class", "aria-label": "Find a column or class" }), " ", html("output", { id: "found", class: "quiet", "aria-live": "polite" })));
};

// The parts of the screen, made once; their content changes with the model.
const skeleton = (box) => {
  const make = (id, name = "div", more = {}) => html(name, { id, ...more });
  const frame = html("div", { id: "tree", class: "frame of-frame", tabindex: -1 });
  const asList = html("details", { id: "as-list" }, html("summary", {}, "The tree as a list"), make("outline"));
  const bench = html("div", { class: "bench deep" }, html("div", { class: "drawing" }, controls(), make("overview", "div", { class: "of-frame" }), frame, asList));
  const tree = part("drawing", "The tree", "A row starts at the left and takes one branch at each decision. Click a decision to question it, or change the values of a row below and watch its path.", bench, make("question"));
  box.replaceChildren(make("banner"), make("figures", "section"), tree, make("rules", "section"), make("try-row", "section"), make("worth", "section"), make("proofs", "section"), make("more", "section"));
  const narrow = matchMedia("(max-width: 560px)"), adapt = () => (asList.open = narrow.matches);
  narrow.addEventListener("change", adapt);
  adapt();
};

const begin = (box, model) => {
  skeleton(box);
  const find = (id) => document.getElementById(id);
  const card = new NodeCard(model.drawing, find("card"));
  const drawing = new Drawing(model.drawing, find("tree"), card);
  const question = new Question(find("question"));
  drawing.onChoose = (node) => {
    card.hide();
    question.ask(node);
  };
  listenToFrame(drawing);
  addRunner(drawing);
  const actions = { closer: () => drawing.zoomTo(drawing.zoom * 1.25), farther: () => drawing.zoomTo(drawing.zoom / 1.25), "fit-width": () => drawing.fit(), expand: () => drawing.expandAll(), collapse: () => drawing.collapseAll() };
  for (const [name, act] of Object.entries(actions)) find(name).addEventListener("click", act);
  listenToSearch(drawing, find("search"), find("found"));
  new Links(drawing, ["tree", "outline", "overview", "rules"].map(find));
  return { box, drawing, card, question, key: null, worth: null };
};

// The list of the tree, with a button for each node, so that no drawing is needed to question it.
const drawOutline = (model) => {
  const outline = new Outline(model.drawing, document.getElementById("outline"));
  view.drawing.onMark = (visits) => outline.mark(visits);
  const asking = (node) => button(`ask-${node}`, "Question", () => view.question.ask(node), { class: "small-button", "aria-label": `Question ${view.drawing.label(node)}` });
  for (const line of outline.box.querySelectorAll("li[data-node]")) (line.querySelector(":scope > details > summary") ?? line.querySelector(":scope > .counts")).after(asking(Number(line.dataset.node)));
  if (model.drawing.nodes[0].split) outline.box.prepend(html("p", {}, html("bdi", {}, model.drawing.nodes[0].lines.join(" ")), asking(0)));
};

const curve = (project, stops, stop) => {
  const known = stops.filter(({ figures }) => figures);
  if (known.length < 2) return null;
  const most = Math.max(...known.map(({ terms }) => terms)), top = Math.max(...known.map(({ figures }) => figures.interval[1]));
  const axes = { x: [0, most], y: [0, top], across: { name: "terms of the tree", text: (v) => String(Number(v.toPrecision(3))) }, up: { name: "error on unseen rows", text: roundedPercent } };
  return chart("Error on unseen rows against the size of the tree, with 95% intervals", axes, (picture, px, py) => {
    const ends = (i) => known.map(({ terms, figures }) => `${px(terms)} ${py(figures.interval[i])}`);
    picture.append(svg("path", { d: `M${ends(0).join("L")}L${ends(1).reverse().join("L")}Z`, class: "area" }));
    picture.append(svg("path", { d: `M${known.map(({ terms, figures }) => `${px(terms)} ${py(figures.error)}`).join("L")}`, class: "curve main-line" }));
    for (const each of known) {
      const dot = svg("circle", { cx: px(each.terms), cy: py(each.figures.error), r: each === stop ? 7 : 4, class: each === stop ? "chosen" : "stop" }, svg("title", {}, `${each.terms} terms: ${each.error} (${each.interval})`));
      dot.addEventListener("click", tried(() => api("size", { terms: each.at })));
      picture.append(dot);
    }
  });
};

const sizeWords = ({ at, terms, leaves, error, interval }) =>
  `${terms} ${terms === 1 ? "term" : "terms"}, ${leaves} leaves${error ? `, error ${error} (${interval})` : ""}${at === null ? " · the tree that fitting keeps" : ""}`;

const sizePart = (project) => {
  const stops = stopsOf(project.fitted), stop = presentStop(project);
  if (stops.length < 2) return [];
  const slider = html("input", { id: "size", type: "range", min: 0, max: stops.length - 1, step: 1, "aria-label": "Size of the tree", list: "size-marks" });
  slider.value = stops.indexOf(stops.find(({ at }) => at === stop.at) ?? stops[0]);
  const words = html("output", { id: "size-words", for: "size" }, sizeWords(stop));
  const speak = () => {
    slider.setAttribute("aria-valuetext", sizeWords(stops[slider.value]));
    words.textContent = sizeWords(stops[slider.value]);
  };
  speak();
  let timer = null;
  slider.addEventListener("input", () => {
    speak();
    clearTimeout(timer);
    timer = setTimeout(tried(() => api("size", { terms: stops[slider.value].at })), 80);
  });
  const marks = html("datalist", { id: "size-marks" }, ...stops.map((_, i) => html("option", { value: i })));
  return [html("div", { class: "size-bench" }, html("div", {}, html("h3", {}, html("label", { for: "size" }, "Size")), slider, marks, html("p", {}, words), html("p", { class: "quiet" }, "Smaller trees are easier to read. Where the intervals of two sizes overlap widely, they may differ by chance.")), curve(project, stops, stop))];
};

const drawFigures = (project, model) => {
  const stop = presentStop(project), { size } = model, edited = project.edits.length > 0;
  const unseen = stop.error && !edited ? [[stop.error, `error on held-out rows (${project.fitted.how})`], [stop.interval.replace("% to ", "–"), "95% interval of this error"], [stop.majority, "error of always predicting the largest class"]] : [];
  const figures = [...unseen, [model.right, `of ${count(model.rows)} training rows correct`], [size.decisions, `${size.decisions === 1 ? "decision" : "decisions"} with ${size.terms} ${size.terms === 1 ? "term" : "terms"}`], [size.leaves, size.leaves === 1 ? "leaf" : "leaves"], [`${size.columns} of ${model.columns}`, "columns read"]];
  const sentences = edited ? ["The tree was edited: count what the edits cost to see its error on unseen rows."] : stop.sentences ?? [project.fitted.how ? project.fitted.how : "Errors on unseen rows are being counted."];
  document.getElementById("figures").replaceChildren(
    html("h2", {}, html("bdi", {}, project.fitted.classes.length <= 4 ? project.fitted.classes.join(" or ") : `${project.fitted.classes.length} classes`)),
    html("ul", { class: "legend" }, ...project.fitted.classes.slice(0, 20).map((name, code) => html("li", {}, html("i", { class: "dot", style: `background:${color(code)}` }), html("bdi", {}, name)))),
    tiles(figures), html("div", { id: "sentences" }, ...sentences.map((each) => html("p", { class: "quiet" }, each))), ...sizePart(project));
};

const drawRules = (model) => {
  const { classes } = model.drawing;
  const items = model.rules.map(({ conditions, code, rows, right, leaves }) => {
    const held = conditions.flatMap((each, i) => [i ? " and " : "If ", html("b", {}, html("bdi", {}, each))]);
    return html("li", { "data-leaves": leaves.join(" "), tabindex: 0 }, ...(held.length ? [...held, ", predict "] : ["Otherwise predict "]), html("b", { class: "label" }, html("i", { class: "dot", style: `background:${color(code)}` }), html("bdi", {}, classes[code])), ". ", html("span", { class: "counts" }, `${rowsText(rows)}, ${count(right)} correct`));
  });
  document.getElementById("rules").replaceChildren(html("h2", {}, "The rules in words"), html("p", { class: "lead" }, "The first rule that holds gives the prediction."), html("ol", {}, ...items));
};

const drawForm = (model, drawing) => {
  const box = document.getElementById("try-row");
  box.hidden = !model.drawing.columns.length;
  if (box.hidden) return;
  const made = { fields: html("div", { id: "fields" }), start: html("select", { id: "start" }), answer: html("output", { id: "answer", "aria-live": "polite" }), steps: html("ol", { id: "steps" }) };
  const form = html("form", { class: "try deep-form", autocomplete: "off" },
    html("div", { class: "values" }, html("div", { class: "field across" }, html("label", { for: "start" }, "Start from"), made.start), made.fields), html("div", {}, made.answer, made.steps));
  form.addEventListener("submit", (event) => event.preventDefault());
  box.replaceChildren(html("h2", {}, "Try a row"), form);
  new Form(model.drawing, drawing, made);
};

const roc = ({ found, alarms, positive, negative }, place) =>
  chart("ROC curve", { x: [0, 1], y: [0, 1], across: { name: "false alarms", text: (v) => percent(v) }, up: { name: "found (recall)", text: (v) => percent(v) }, width: 380, height: 280 }, (picture, px, py) => {
    picture.append(svg("line", { x1: px(0), y1: py(0), x2: px(1), y2: py(1), class: "diagonal" }));
    picture.append(svg("path", { d: `M${found.map((n, i) => `${px(alarms[i] / negative)} ${py(n / positive)}`).join("L")}`, class: "curve main-line" }));
    const dot = svg("circle", { r: 7, class: "chosen" });
    picture.append(dot);
    place.move = (i) => {
      dot.setAttribute("cx", px(alarms[i] / negative));
      dot.setAttribute("cy", py(found[i] / positive));
    };
  });

const drawThreshold = (project, model) => {
  const box = document.getElementById("worth"), stop = presentStop(project), { drawing } = model;
  const unseen = !project.edits.length && stop.threshold, counts = unseen || drawing.threshold;
  const key = JSON.stringify([counts, drawing.classes, drawing.mistakes]);
  box.hidden = !counts;
  if (!counts || view.worth === key) return;
  view.worth = key;
  const [other, name] = drawing.classes, mistakes = drawing.mistakes;
  const lines = [["threshold", "said-at"], [`${name} found (recall)`, "said-found"], [`${name} missed`, "said-missed"], [`${other} taken for ${name} (false alarms)`, "said-alarms"], [`precision of ${name}`, "said-precision"], ["cost", "said-cost"], ["cheapest threshold", "said-best"]];
  const slider = html("input", { type: "range", id: "threshold-at", min: 0, max: 100, "aria-label": "Threshold in percent" });
  slider.value = Math.round((100 * mistakes[0][1]) / (mistakes[0][1] + mistakes[1][0]));
  const cost = (id, text, value) => html("div", { class: "field" }, html("label", { for: id }, text), html("input", { type: "number", id, min: 0, step: "any", value }));
  const place = {};
  box.replaceChildren(html("h2", {}, "Threshold and costs"), html("p", { class: "lead" }, `Move the threshold, or say what mistakes cost. Counted on ${unseen ? "rows that the models had not seen (cross-validation)" : "the training rows; expect worse on new rows"}.`),
    html("div", { class: "threshold-bench" },
      html("div", {}, html("label", { for: "threshold-at" }, "Predict ", html("bdi", {}, name), " from this probability on"), slider, cost("cost-miss", `Cost of missing a ${name}`, mistakes[1][0]), cost("cost-alarm", "Cost of a false alarm", mistakes[0][1]), html("button", { id: "to-best", type: "button" }, "Use the cheapest threshold"), table(["at this threshold", ""], lines.map(([what, id]) => [what, html("span", { id })]))),
      roc(counts, place)));
  const follow = () => place.move(Number(slider.value));
  slider.addEventListener("input", follow);
  document.getElementById("to-best").addEventListener("click", () => setTimeout(follow));
  listenToThreshold({ threshold: counts }, (id) => document.getElementById(id));
  follow();
};

const drawProofs = (model) => {
  const figure = (value, digits) => (value === null || value === undefined ? "–" : String(Number(value.toPrecision(digits))));
  const rows = model.certificates.map(({ place, words, value, bound, gap, proved, verdict }) => [`${place}. ${words}`, figure(value, 6), figure(bound, 6), figure(gap, 2), html("span", {}, proved ? html("span", { class: "badge" }, "✓ proved") : html("span", { class: "badge open" }, "found"), ` ${verdict}`)]);
  document.getElementById("proofs").replaceChildren(html("h2", {}, "What is proved about each decision"), html("p", { class: "lead" }, "A decision found by optimization comes with its value and a bound that no other decision can beat, computed separately."), rows.length ? table(["decision", "value", "bound", "gap", "how it was found"], rows, { class: "figures" }) : note("This tree has no decision."));
};

const sheetPart = ({ classes, sheets }) =>
  sheets.map(({ questions, table: lines, missing, proof }) => html("div", { class: "score-sheet" }, table(["question", "points"], questions), html("div", { class: "tables" }, table(["total", ...classes, "seen in training (95% interval)"], lines)), html("p", {}, missing), html("p", { class: "quiet" }, proof)));

const drawMore = (project) => {
  const sheet = html("div", { id: "sheet" }), frame = html("div", { id: "report-frame" });
  const make = button("make-sheet", "Make a score sheet", tried(async () => {
    sheet.replaceChildren(note("Searching for whole points …"));
    try {
      sheet.replaceChildren(...sheetPart(await api("sheet")));
    } catch (error) {
      sheet.replaceChildren(note(error.message, "warn"));
    }
  }));
  const page = button("show-report", "Show the whole report", () => frame.replaceChildren(html("iframe", { src: "api/report", title: "Report of the model", class: "report" })));
  document.getElementById("more").replaceChildren(html("h2", {}, "Score sheet and report"), html("div", { class: "row" }, project.fitted.editable ? make : null, page), sheet, frame);
};

const drawBanner = (project, work) => {
  const again = button("fit-again", "Fit again", tried(() => api("fit")), { class: "primary" });
  const box = document.getElementById("banner");
  box.replaceChildren(...(project.stale && work?.name !== "fit" ? [html("div", { class: "note warn" }, "Columns or goal have changed since this model was made. ", again)] : []), ...project.fitted.notes.slice(0, 4).map((text) => note(text)));
};

export const modelScreen = async (box, { project, work }) => {
  if (!project.fitted) {
    view = null;
    const busy = work?.name === "fit";
    box.replaceChildren(part("no-model", "The model", busy ? "The model is being made. It appears here as soon as it is fitted." : "There is no model yet.", busy ? null : button("fit-first", "Make the model", tried(() => api("fit")), { class: "primary", ...(project.recipe.target ? {} : { disabled: "" }) })));
    return;
  }
  const key = JSON.stringify([project.fitted.key, project.fitted.model, project.terms, project.edits]);
  const isNew = !view || !box.querySelector("#tree");
  if (isNew || view.key !== key) {
    let model;
    try {
      model = await api("model");
    } catch (error) {
      view = null;
      throw error;
    }
    if (isNew) view = begin(box, model);
    else {
      view.card.model = model.drawing;
      view.drawing.load(model.drawing);
    }
    Object.assign(view, { key, model });
    drawOutline(model);
    const leaves = model.drawing.nodes.filter(({ split }) => !split).length;
    document.getElementById("overview").replaceChildren();
    if (leaves > 24) drawOverview(view.drawing, document.getElementById("overview"));
    drawRules(model);
    drawForm(model, view.drawing);
    drawProofs(model);
    drawMore(project);
    view.drawing.fit();
  }
  drawBanner(project, work);
  const slider = document.getElementById("size"), dragged = document.activeElement === slider && slider;
  const at = dragged ? dragged.value : null;
  drawFigures(project, view.model);
  if (dragged) {
    const now = document.getElementById("size");
    now?.focus({ preventScroll: true });
    if (now && at !== null) now.value = at;
  }
  drawThreshold(project, view.model);
  view.question.update(project, view.model, key);
};
