// The form: a row whose values the reader changes, and its way through the tree.

class Form {
  constructor(model, drawing, page) {
    Object.assign(this, { model, drawing, page });
    this.cells = model.rows[0].cells.slice();
    this.fields = model.columns.map((column, j) => this.field(column, j));
    page.fields.append(...this.fields.slice(0, 24).map(({ box }) => box));
    const rest = this.fields.slice(24);
    if (rest.length)
      page.fields.append(html("details", {}, html("summary", {}, `${rest.length} more values`), ...rest.map(({ box }) => box)));
    this.addStarts();
    this.start(0);
  }

  addStarts() {
    const { model, page } = this;
    const right = html("optgroup", { label: "Predicted correctly" });
    const wrong = html("optgroup", { label: "Predicted wrongly" });
    model.rows.forEach(({ number, class: code, cells }, i) => {
      const given = answer(model, cells, travel(model.nodes, cells)).code;
      const name = `row ${number} · ${model.classes[code]}`;
      (given === code ? right : wrong).append(html("option", { value: i }, name));
    });
    page.start.append(...[right, wrong].filter((group) => group.children.length));
    page.start.value = right.children.length ? right.children[0].value : wrong.children[0].value;
    page.start.addEventListener("change", () => this.start(Number(page.start.value)));
  }

  start(i) {
    const chosen = Number(this.page.start.value || i);
    this.cells = this.model.rows[chosen].cells.slice();
    this.fields.forEach((field, j) => field.set(this.cells[j]));
    this.update();
  }

  field(column, j) {
    const id = `value-${j}`;
    const label = html("label", { for: id }, column.name);
    return column.categories ? this.categoryField(column, j, id, label) : this.numberField(column, j, id, label);
  }

  categoryField(column, j, id, label) {
    const options = column.categories.map((name, code) => html("option", { value: code }, name));
    const others = [html("option", { value: "" }, "(missing)"), html("option", { value: -1 }, "(other)")];
    const empty = this.model.missing ? others : [];
    const input = html("select", { id }, ...options, ...empty);
    input.addEventListener("input", () => this.change(j, input.value === "" ? null : Number(input.value)));
    return { box: html("div", { class: "field" }, label, input), set: (cell) => (input.value = cell === null ? "" : cell) };
  }

  numberField(column, j, id, label) {
    const fill = column.fill === undefined ? "required" : `missing: counts as ${Number(column.fill.toPrecision(4))}`;
    const hint = this.model.missing ? "missing" : fill;
    const input = html("input", { id, type: "number", step: "any", placeholder: hint });
    const { low, high } = column;
    const slider = html("input", { type: "range", min: low, max: high, step: "any", "aria-label": `${column.name}, slider`, tabindex: -1 });
    input.addEventListener("input", () => {
      this.change(j, this.read(input.value));
      if (input.value !== "") slider.value = input.value;
    });
    slider.addEventListener("input", () => {
      input.value = Number(Number(slider.value).toPrecision(4));
      this.change(j, this.read(input.value));
    });
    const set = (cell) => {
      input.value = cell === null ? "" : cell;
      slider.value = cell === null ? (low + high) / 2 : cell;
    };
    return { box: html("div", { class: "field" }, label, input, slider), set };
  }

  // C4.5 in 32 bits stores -999 for a missing number, and so reads it as one.
  read(text) {
    const cell = text === "" || !Number.isFinite(Number(text)) ? null : Number(text);
    return this.model.standIn && cell !== null && Math.fround(cell) === -999 ? null : cell;
  }

  change(j, cell) {
    this.cells[j] = cell ?? this.model.columns[j].fill ?? null;
    this.update();
  }

  update() {
    const { model, page } = this;
    const absent = model.columns.filter((_, j) => this.cells[j] === null);
    if (absent.length && !model.missing) {
      page.answer.replaceChildren(html("p", { class: "verdict" }, `Enter a value for ${absent[0].name}.`));
      page.steps.replaceChildren();
      this.drawing.highlight([], this.cells);
      return;
    }
    const visits = travel(model.nodes, this.cells);
    const given = answer(model, this.cells, visits);
    page.answer.replaceChildren(...this.sayAnswer(given));
    page.steps.replaceChildren(...visits.map((visit) => this.sayStep(visit)));
    const leaf = visits.map(({ node }) => node).join();
    this.drawing.highlight(visits, this.cells);
    if (this.last !== undefined && this.last !== leaf) this.drawing.run?.(visits);
    this.last = leaf;
  }

  sayAnswer({ code, shares }) {
    const { classes } = this.model;
    const verdict = html("p", { class: "verdict" }, html("i", { class: "dot", style: `background:${color(code)}` }), html("data", { value: code, class: "answer" }, classes[code]));
    if (!shares) return [verdict];
    const order = shares.map((_, c) => c).sort((a, b) => shares[b] - shares[a]);
    const lines = order.map((c, place) => html("li", place > 5 ? { hidden: "" } : {},
      html("span", {}, classes[c]),
      html("span", { class: "meter" }, html("i", { style: `width:${100 * shares[c]}%;background:${color(c)}` })),
      html("data", { value: shares[c], "data-class": c }, percent(shares[c]))));
    return [verdict, html("ul", { class: "shares" }, ...lines)];
  }

  // How much of a row takes the way that the rest of it does not, where a decision is unsure of it.
  sayDoubt(node, { branch, scores }) {
    const { split, ways, children } = this.model.nodes[node];
    if (!split.spread) return [];
    const shares = sharesOf(split, scores);
    const also = children.map((_, b) => b).filter((b) => b !== branch && shares[b] >= 0.1);
    if (!also.length && shares[branch] >= 0.9) return [];
    const parts = also.map((b) => `${percent(shares[b])} ${ways[b]}`);
    return [html("span", {}, `, unsure: ${[`${percent(shares[branch])} this branch`, ...parts].join(", ")}`)];
  }

  sayStep({ node, share, branch, scores }) {
    const { split, said = split, lines, ways, code, picture } = this.model.nodes[node];
    const asked = lines?.length > 6 ? `${lines.slice(0, 6).join(" ")} …` : lines?.join(" ");
    const part = share < 1 ? ` (${percent(share)} of the row)` : "";
    if (!split) return html("li", { class: "end" }, `Leaf: ${this.model.classes[code]}${part}`);
    if (branch < 0) return html("li", {}, `${asked}: missing, so the row takes every branch in part${part}`);
    const seen = decide(said, this.cells);
    const aside = seen.branch === branch ? "" : " (by the weights before rounding)";
    const went = ` → ${ways[branch]}${aside}`;
    const doubt = this.sayDoubt(node, { branch, scores });
    if (seen.scores && said.rule !== "slabs" && !(picture?.plane >= 0)) {
      const tests = seen.scores.map((score, p) => (said.rule === "argmax" ? `score (${p + 1}) ${short(score)}` : `${lines[p]} by ${short(score)}`));
      return html("li", {}, `${tests.join("; ")}${part}`, html("b", {}, went), ...doubt);
    }
    const at = position(this.model.nodes[node], this.cells);
    return html("li", {}, `${asked}${part}`, html("b", {}, `${at === null ? "" : ` = ${short(at)}`}${went}`), ...doubt);
  }
}
