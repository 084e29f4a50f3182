// The tree as a drawing, from left to right: zoom, collapse, a card for each node.

const CARD = { inner: 236, leaf: 190, gap: 112, between: 20, pad: 18 };
const MAX_LINES = 4;

class Drawing {
  constructor(model, frame, card) {
    Object.assign(this, { frame, card, zoom: 1 });
    this.load(model);
  }

  // Draw another model in the same frame.
  load(model) {
    Object.assign(this, { model, visits: [], matches: [] });
    this.parent = model.nodes.map(() => -1);
    model.nodes.forEach(({ children = [] }, node) => children.forEach((child) => (this.parent[child] = node)));
    this.depth = model.nodes.map(() => 0);
    model.nodes.forEach((_, node) => node && (this.depth[node] = this.depth[this.parent[node]] + 1));
    this.collapsed = new Set();
    const leaves = model.nodes.filter(({ split }) => !split).length;
    if (leaves > 24) this.collapseBelow(3);
    this.draw();
  }

  collapseBelow(depth) {
    this.model.nodes.forEach(({ split }, node) => {
      if (split && this.depth[node] >= depth) this.collapsed.add(node);
    });
  }

  shown(node) {
    return this.collapsed.has(node) ? [] : this.model.nodes[node].children || [];
  }

  size(node) {
    const { split, lines = [], picture } = this.model.nodes[node];
    if (!split) return { width: CARD.leaf, height: 74 };
    const said = Math.min(lines.length, MAX_LINES) + (lines.length > MAX_LINES ? 1 : 0);
    return { width: CARD.inner, height: 18 + 18 * said + (picture ? 62 : 0) + 34 };
  }

  layout() {
    this.places = new Map();
    let bottom = CARD.pad;
    const put = (node) => {
      const { width, height } = this.size(node);
      const children = this.shown(node);
      children.forEach(put);
      const x = CARD.pad + this.depth[node] * (CARD.inner + CARD.gap);
      let y = bottom;
      if (children.length) {
        const [first, last] = [children[0], children.at(-1)].map((child) => this.places.get(child));
        y = (first.y + first.height / 2 + last.y + last.height / 2) / 2 - height / 2;
        const lift = CARD.pad - y;
        if (lift > 0) {
          this.lower(node, lift);
          y = CARD.pad;
        }
        bottom = Math.max(bottom, y + height + CARD.between, ...children.map((c) => this.places.get(c).y + this.places.get(c).height + CARD.between));
      } else bottom += height + CARD.between;
      this.places.set(node, { x, y, width, height });
    };
    put(0);
    const all = [...this.places.values()];
    this.width = Math.max(...all.map(({ x, width }) => x + width)) + CARD.pad + 14;
    this.height = Math.max(...all.map(({ y, height }) => y + height)) + CARD.pad;
  }

  lower(node, by) {
    for (const child of this.shown(node)) {
      this.places.get(child).y += by;
      this.lower(child, by);
    }
  }

  draw() {
    const [left, top] = [this.frame.scrollLeft, this.frame.scrollTop];
    this.layout();
    const edges = svg("g"), cards = svg("g"), said = svg("g");
    for (const node of [...this.places.keys()].sort((a, b) => a - b)) {
      if (this.parent[node] >= 0) this.drawEdge(node, edges, said);
      cards.append(this.drawCard(node));
    }
    this.svg = svg("svg", { viewBox: `0 0 ${this.width} ${this.height}`, role: "group", "aria-label": "Tree of decisions" }, edges, cards, said);
    this.frame.replaceChildren(this.svg);
    this.mark();
    this.resize();
    this.frame.scrollTo(left, top);
  }

  drawEdge(node, edges, said) {
    const { model, parent } = this;
    const from = this.places.get(parent[node]), to = this.places.get(node);
    const x1 = from.x + from.width, y1 = from.y + from.height / 2;
    const x2 = to.x, y2 = to.y + to.height / 2, bend = (x2 - x1) / 2;
    const share = total(model.nodes[node].counts) / (total(model.nodes[0].counts) || 1);
    const d = `M${x1} ${y1} C${x1 + bend} ${y1} ${x1 + bend * 0.5} ${y2} ${x2} ${y2}`;
    edges.append(svg("path", { d, class: "edge", "data-to": node, "stroke-width": 2 + 14 * share }));
    const branch = model.nodes[parent[node]].children.indexOf(node);
    const way = cutTo(model.nodes[parent[node]].ways[branch], CARD.gap - 34);
    const clear = y2 > y1 ? 17 + 7 * share : -9 - 7 * share;
    said.append(svg("text", { x: x2 - 8, y: y2 + clear, class: "way", "text-anchor": "end" }, way));
  }

  drawCard(node) {
    const { x, y, width, height } = this.places.get(node);
    const data = this.model.nodes[node];
    const group = svg("g", { class: data.split ? "node" : "node leaf", transform: `translate(${x} ${y})`, tabindex: 0, role: "button", "data-node": node, "aria-label": this.label(node) });
    group.append(svg("rect", { width, height, rx: 10, class: "card" }));
    if (data.split) this.fillDecision(group, data, width, height);
    else this.fillLeaf(group, data, width, height);
    if (data.split) this.addToggle(group, node, width, height);
    this.listen(group, node);
    return group;
  }

  label(node) {
    const { split, lines, counts, code } = this.model.nodes[node];
    const rows = rowsText(total(counts));
    return split ? `Decision: ${lines.join(" ")}. ${rows}.` : `Leaf: ${this.model.classes[code]}. ${rows}.`;
  }

  fillDecision(group, data, width, height) {
    const lines = data.lines.slice(0, MAX_LINES);
    lines.forEach((line, i) => group.append(svg("text", { x: 12, y: 23 + 18 * i, class: "asked" }, cutTo(line, width - 24, true))));
    const more = data.lines.length - MAX_LINES;
    if (more > 0) group.append(svg("text", { x: 12, y: 23 + 18 * MAX_LINES, class: "small" }, `and ${more} more`));
    if (data.picture) group.append(bars(data.picture, 12, height - 86, width - 24, 46));
    group.append(svg("text", { x: 12, y: height - 16, class: "small" }, rowsText(total(data.counts))));
    group.append(shareBar(data.counts, 96, height - 23, width - 108, 7));
  }

  fillLeaf(group, data, width, height) {
    const share = data.counts[data.code] / (total(data.counts) || 1);
    group.append(svg("rect", { x: 8, y: 11, width: 4, height: height - 22, rx: 2, fill: color(data.code) }));
    group.append(svg("text", { x: 21, y: 25, class: "asked" }, cutTo(this.model.classes[data.code], width - 33, true)));
    const rows = total(data.counts);
    group.append(svg("text", { x: 21, y: 44, class: "small" }, rows ? `${rowsText(rows)}, ${percent(share)} correct` : "no rows here"));
    group.append(shareBar(data.counts, 21, height - 19, width - 33, 7));
  }

  addToggle(group, node, width, height) {
    const closed = this.collapsed.has(node);
    const toggle = svg("g", { class: "toggle", transform: `translate(${width} ${height / 2})` });
    toggle.append(svg("circle", { r: 16, fill: "transparent" }), svg("circle", { r: 10 }), svg("path", { d: closed ? "M-4 0h8M0 -4v8" : "M-4 0h8" }));
    toggle.append(svg("title", {}, closed ? "Expand" : "Collapse"));
    toggle.addEventListener("click", (event) => {
      event.stopPropagation();
      this.toggle(node);
    });
    group.append(toggle);
  }

  listen(group, node) {
    group.addEventListener("mouseenter", () => this.card.show(node, group));
    group.addEventListener("mouseleave", () => this.card.hide());
    group.addEventListener("focus", () => this.card.show(node, group));
    group.addEventListener("blur", () => this.card.hide());
    group.addEventListener("click", () => (this.onChoose ? this.onChoose(node) : this.card.show(node, group)));
    group.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.card.hide();
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      if (this.onChoose && event.key === "Enter") this.onChoose(node);
      else this.toggle(node);
    });
  }

  toggle(node) {
    if (!this.model.nodes[node].split) return;
    if (!this.collapsed.delete(node)) this.collapsed.add(node);
    this.card.hide();
    this.draw();
    this.frame.querySelector(`[data-node="${node}"]`).focus({ preventScroll: true });
    this.card.hide();
  }

  expandAll() {
    this.collapsed.clear();
    this.draw();
  }

  collapseAll() {
    this.collapseBelow(1);
    this.draw();
  }

  resize() {
    this.svg.style.width = `${this.width * this.zoom}px`;
    this.svg.style.height = `${this.height * this.zoom}px`;
  }

  // Zoom around a point of the frame, given from its upper left.
  zoomTo(zoom, x = this.frame.clientWidth / 2, y = this.frame.clientHeight / 2) {
    const next = Math.min(3, Math.max(0.1, zoom)), ratio = next / this.zoom;
    const left = (this.frame.scrollLeft + x) * ratio - x, top = (this.frame.scrollTop + y) * ratio - y;
    this.zoom = next;
    this.resize();
    this.frame.scrollTo(left, top);
  }

  fit() {
    const { clientWidth } = this.frame, across = (clientWidth - 2) / this.width;
    this.zoomTo(Math.min(1.15, Math.max(across, clientWidth > 700 ? 0.66 : 0.8)));
    this.frame.scrollTo(0, Math.max(0, (this.height * this.zoom - this.frame.clientHeight) / 2));
  }

  // Open the ways to some nodes.
  open(chosen) {
    let closed = 0;
    for (let node of chosen) for (node = this.parent[node]; node >= 0; node = this.parent[node]) closed += this.collapsed.delete(node);
    if (closed) this.draw();
    else this.mark();
  }

  // Open the way to a node, and bring it into the middle of the frame.
  goTo(node, focus = true) {
    this.open([node]);
    const { x, y, width, height } = this.places.get(node), { clientWidth, clientHeight } = this.frame;
    this.frame.scrollTo((x + width / 2) * this.zoom - clientWidth / 2, (y + height / 2) * this.zoom - clientHeight / 2);
    if (focus) this.frame.querySelector(`[data-node="${node}"]`).focus({ preventScroll: true });
  }

  // Open the way of a row, and mark it.
  highlight(visits, cells) {
    Object.assign(this, { visits, cells });
    const closed = visits.filter(({ node }) => this.collapsed.delete(node));
    if (closed.length) this.draw();
    else this.mark();
  }

  // Mark what the row reaches: its nodes, the ways to them, its place in their pictures.
  mark() {
    for (const old of this.svg.querySelectorAll(".mark")) old.remove();
    for (const old of this.svg.querySelectorAll(".on, .match")) old.classList.remove("on", "match");
    for (const node of this.matches) this.svg.querySelector(`[data-node="${node}"]`)?.classList.add("match");
    this.onMark?.(this.visits);
    for (const { node, share } of this.visits) {
      const group = this.svg.querySelector(`[data-node="${node}"]`);
      if (!group) continue;
      group.classList.add("on");
      this.svg.querySelector(`[data-to="${node}"]`)?.classList.add("on");
      const { width, height } = this.places.get(node);
      const { picture } = this.model.nodes[node];
      const at = position(this.model.nodes[node], this.cells);
      if (at !== null) {
        const tip = placeIn(picture, at, 12, width - 24);
        group.append(svg("path", { d: `M${tip} ${height - 41} l-5 8 h10 z`, class: "mark here" }));
      }
      if (share < 1)
        group.append(svg("text", { x: width - 2, y: -6, class: "mark small strong", "text-anchor": "end" }, percent(share)));
    }
  }
}

// Drag with the mouse, zoom with Ctrl and the wheel, pinch with two fingers.
const listenToFrame = (drawing) => {
  const { frame } = drawing;
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = frame.getBoundingClientRect();
    drawing.zoomTo(drawing.zoom * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  let drag = null;
  frame.addEventListener("mousedown", (event) => (drag = [event.clientX + frame.scrollLeft, event.clientY + frame.scrollTop]));
  addEventListener("mousemove", (event) => drag && frame.scrollTo(drag[0] - event.clientX, drag[1] - event.clientY));
  addEventListener("mouseup", () => (drag = null));
  let pinch = null;
  const span = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  frame.addEventListener("touchmove", (event) => {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const wide = span(event.touches);
    pinch ??= { wide, zoom: drawing.zoom };
    drawing.zoomTo((pinch.zoom * wide) / pinch.wide);
  }, { passive: false });
  addEventListener("touchend", () => (pinch = null));
};
