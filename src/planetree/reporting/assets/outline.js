// The whole tree beside the drawing: a list in words, an overview of large trees, a search, and what belongs together.

// The tree as nested lists, in the words of the rules: how it is shown on narrow screens.
class Outline {
  constructor(model, box) {
    Object.assign(this, { model, box });
    const leaves = model.nodes.filter(({ split }) => !split).length;
    this.openDepth = leaves > 24 ? 3 : Infinity;
    box.replaceChildren(html("ul", {}, ...this.children(0, 0)));
  }

  children(node, depth) {
    const { children = [], conditions } = this.model.nodes[node];
    if (!children.length) return [this.item(node, "Always", depth)];
    return children.map((child, b) => this.item(child, conditions[b], depth));
  }

  item(node, condition, depth) {
    const { split, counts, code } = this.model.nodes[node];
    const rows = total(counts), share = rows ? `, ${percent(counts[code] / rows)} ${this.model.classes[code]}` : "";
    const said = html("b", {}, html("bdi", {}, condition));
    const line = html("li", { "data-node": node });
    if (split) {
      const below = html("details", depth < this.openDepth ? { open: "" } : {}, html("summary", {}, said, html("span", { class: "counts" }, ` ${rowsText(rows)}`)));
      below.append(html("ul", {}, ...this.children(node, depth + 1)));
      line.append(below);
    } else
      line.append(said, html("span", { class: "label" }, html("i", { class: "dot", style: `background:${color(code)}` }), html("bdi", {}, this.model.classes[code])), html("span", { class: "counts" }, ` ${rowsText(rows)}${share}`));
    line.append(svg("svg", { viewBox: "0 0 200 6", class: "stripe", preserveAspectRatio: "none", "aria-hidden": "true" }, shareBar(counts, 0, 0, 200, 6)));
    return line;
  }

  // Mark the way of a row, and open it.
  mark(visits) {
    for (const old of this.box.querySelectorAll(".on")) old.classList.remove("on");
    for (const { node } of visits) {
      const line = this.box.querySelector(`[data-node="${node}"]`);
      line?.classList.add("on");
      const below = line?.querySelector(":scope > details");
      if (below) below.open = true;
    }
  }
}

// Every node of a large tree at once: a level a line, as wide as it has leaves; leaves in the color of their class.
const drawOverview = (drawing, box) => {
  const { nodes } = drawing.model, leaves = nodes.map(({ split }) => (split ? 0 : 1));
  for (let node = nodes.length - 1; node > 0; node--) leaves[drawing.parent[node]] += leaves[node];
  const tall = 9, levels = Math.max(...drawing.depth) + 1, picture = svg("svg", { viewBox: `0 0 1000 ${tall * levels}`, preserveAspectRatio: "none", role: "group", "aria-label": "Overview of the tree" });
  picture.style.height = `${Math.min(160, tall * levels)}px`;
  const put = (node, left) => {
    const { split, code } = nodes[node], width = (1000 * leaves[node]) / leaves[0];
    const cell = svg("rect", { x: left, y: tall * drawing.depth[node], width, height: tall, class: split ? "part" : "part end", "data-node": node, fill: split ? null : color(code) }, svg("title", {}, drawing.label(node)));
    cell.addEventListener("click", () => drawing.goTo(node));
    picture.append(cell);
    for (const child of nodes[node].children || []) left = put(child, left) + 0;
    return split ? left : left + width;
  };
  put(0, 0);
  box.replaceChildren(picture);
};

// Nodes that say a text: opened, marked, and gone through with Enter.
const listenToSearch = (drawing, input, output) => {
  let at = 0;
  const search = () => {
    const { nodes, classes } = drawing.model;
    const texts = nodes.map(({ split, lines, code }) => (split ? lines.join(" ") : classes[code]).toLowerCase());
    const asked = input.value.trim().toLowerCase();
    drawing.matches = asked ? [...nodes.keys()].filter((node) => texts[node].includes(asked)) : [];
    const n = drawing.matches.length;
    output.textContent = asked ? `${n} ${n === 1 ? "match" : "matches"}` : "";
    at = 0;
    if (n) drawing.open(drawing.matches.slice(0, 60));
    else drawing.mark();
    if (n) drawing.goTo(drawing.matches[0], false);
  };
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (drawing.matches.length) drawing.goTo(drawing.matches[++at % drawing.matches.length], false);
  });
};

// Pointing at a node, a line of the list or a rule marks the same way in all of them.
class Links {
  constructor(drawing, boxes) {
    Object.assign(this, { drawing, boxes });
    for (const box of boxes) {
      box.addEventListener("mouseover", ({ target }) => this.light(this.nodesOf(target)));
      box.addEventListener("focusin", ({ target }) => this.light(this.nodesOf(target)));
      box.addEventListener("mouseleave", () => this.light([]));
    }
  }

  nodesOf(target) {
    const found = target.closest("[data-node], [data-leaves]");
    if (!found) return [];
    return found.dataset.leaves === undefined ? [Number(found.dataset.node)] : found.dataset.leaves.split(" ").filter(Boolean).map(Number);
  }

  light(chosen) {
    const { parent } = this.drawing, way = new Set();
    for (let node of chosen) for (; node >= 0; node = parent[node]) way.add(node);
    const isBelow = (node) => {
      for (; node >= 0; node = parent[node]) if (chosen.includes(node)) return true;
      return false;
    };
    for (const box of this.boxes) {
      for (const old of box.querySelectorAll(".near")) old.classList.remove("near");
      for (const each of box.querySelectorAll("[data-node], [data-to]"))
        if (way.has(Number(each.dataset.node ?? each.dataset.to))) each.classList.add("near");
      for (const rule of box.querySelectorAll("[data-leaves]")) {
        const leaves = this.nodesOf(rule);
        if (leaves.length && leaves.every(isBelow)) rule.classList.add("near");
      }
    }
  }
}
