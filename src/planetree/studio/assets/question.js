// Question a decision: its rows, its proof, what else could stand there and at what cost; then change it.
// The panel is drawn once for a node of a model; what arrives later fills its places, so that what is typed stays.

import { api } from "./api.js";
import { button, choice, field, note, table, tried } from "./parts.js";

const BELOW = [["grow", "grow again what is below"], ["keep", "keep what is below"], ["close", "make its branches leaves"]];

export class Question {
  constructor(box) {
    Object.assign(this, { box, node: null, key: null, project: null });
    this.places = { panel: html("div"), history: html("div", { class: "history" }), listed: html("div") };
    box.replaceChildren(this.places.panel, this.places.history);
  }

  // Ask about a node.
  async ask(node) {
    this.node = node;
    this.drawPanel();
    this.box.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    document.getElementById("question-title")?.focus({ preventScroll: true });
    await this.look();
  }

  // What else could stand there.
  async look() {
    const { node, key } = this, data = this.model.drawing.nodes[node];
    if (!data?.split || !this.model.editable) return;
    try {
      const found = await api("alternatives", { node });
      if (this.node === node && this.key === key) this.drawListed(found.alternatives);
    } catch (error) {
      if (this.node === node && this.key === key) this.drawListed([], error.message);
    }
  }

  update(project, model, key) {
    const changed = this.key !== key;
    Object.assign(this, { project, model, key });
    if (changed) {
      if (this.node >= model.drawing.nodes.length) this.node = null;
      this.drawPanel();
      if (this.node !== null) this.look();
    }
    this.drawHistory();
  }

  edit(line, done = () => {}) {
    return tried(async () => {
      await api("edit", { line });
      done();
    })();
  }

  drawPanel() {
    this.places.listed.replaceChildren(note("Looking for other decisions …"));
    this.places.panel.replaceChildren(...(this.node === null ? [] : [this.panel()]));
  }

  drawHistory() {
    const { edits, undone, cost } = this.project;
    const may = (on) => (on ? {} : { disabled: "" });
    const said = this.model.history.slice(-edits.length || Infinity);
    const parts = [
      html("div", { class: "row" },
        button("undo", "Undo", tried(() => api("undo")), may(edits.length)), button("redo", "Redo", tried(() => api("redo")), may(undone.length)),
        button("count-cost", "What do the edits cost?", tried(() => api("cost")), may(edits.length))),
      edits.length ? html("ol", { id: "edits" }, ...edits.map((_, i) => html("li", {}, html("bdi", {}, said[i] ?? edits[i])))) : null,
      cost ? html("pre", { id: "edit-cost", class: "code" }, cost.text) : null,
    ];
    this.places.history.replaceChildren(...parts.filter(Boolean));
  }

  panel() {
    const { drawing, editable } = this.model, data = drawing.nodes[this.node];
    const close = button("close-question", "Close", () => {
      this.node = null;
      this.drawPanel();
    });
    const title = data.split ? `Decision at node ${this.node}` : `Leaf at node ${this.node}: ${drawing.classes[data.code]}`;
    return html("div", { class: "panel", role: "group", "aria-labelledby": "question-title" },
      html("div", { class: "row between" }, html("h3", { id: "question-title", tabindex: -1 }, title), close),
      ...(data.split ? this.decision(data) : []),
      ...(editable ? this.actions(data) : [note("Only the readable tree can be edited.")]));
  }

  decision({ lines, picture, proof }) {
    const drawn = picture ? svg("svg", { viewBox: "0 0 420 120", class: "wide", role: "img", "aria-label": "Rows along the decision, by class" }, bars(picture, 4, 8, 412, 86), svg("text", { x: 210, y: 114, class: "small", "text-anchor": "middle" }, picture.thresholds ? picture.name : "rows by branch")) : null;
    return [html("p", { class: "plane" }, html("b", {}, html("bdi", {}, lines.join(" ")))), drawn, html("p", { class: "quiet" }, proof ?? "")];
  }

  actions(data) {
    return [...(data.split ? [this.places.listed] : []), this.typing(data), this.buttons(data)];
  }

  drawListed(alternatives, error = "There is no other decision.") {
    const rows = alternatives.map(({ words, nats, left, price, difference, wrong }, i) => [words, nats, left, price, difference, wrong, i ? button(`take-${i}`, "Replace", () => this.edit(`take ${this.node}: ${i}`), { "aria-label": `Replace by ${words}` }) : "present"]);
    const lead = html("p", { class: "quiet" }, "Other decisions, the cheapest first. Nats: what a decision leaves unexplained, and the price of its terms.");
    this.places.listed.replaceChildren(...(rows.length ? [lead, table(["decision", "nats", "left", "price", "difference", "rows wrong", ""], rows, { class: "figures", label: "Alternatives" })] : [note(error)]));
  }

  typing(data) {
    const text = html("input", { id: "typed", placeholder: "age > 50, or 2 age - dose > 1, or color is red or blue", "aria-label": "A decision typed by hand" });
    const below = choice("below", BELOW, "grow", () => {});
    const done = () => (text.value = "");
    const put = () => text.value.trim() && this.edit(`replace ${this.node}${below.value === "grow" ? "" : `, ${below.value}`}: ${text.value.trim()}`, done);
    text.addEventListener("keydown", (event) => event.key === "Enter" && put());
    return html("div", { class: "row" }, field("typed", data.split ? "Type another decision" : "Give it a decision", text), data.split ? field("below", "And", below) : null, button("put", "Put it there", put));
  }

  buttons(data) {
    const { node } = this, { drawing, names } = this.model;
    const word = (what, text, id = what) => button(id, text, () => this.edit(`${what} ${node}`));
    const bar = choice("forbid", [["", "forbid a column below here"], ...names.map((name) => [name, name])], "", (name) => name && this.edit(node ? `forbid ${node}: ${name}` : `forbid: ${name}`), { "aria-label": "Forbid a column" });
    const label = choice("relabel", [["", "give it another class"], ...drawing.classes.map((name) => [name, name])], "", (name) => name && this.edit(`relabel ${node}: ${name}`), { "aria-label": "Give the leaf another class" });
    const own = data.split ? [word("close", "Make it a leaf", "make-leaf"), word("lock", "Lock"), word("unlock", "Unlock"), bar] : [label, word("lock", "Lock"), word("unlock", "Unlock")];
    return html("div", { class: "row" }, word("grow", "Grow again from here"), ...own);
  }
}
