// Beside the drawing: the card of a node, the dot that goes the way of a row, light or dark, printing.

class NodeCard {
  constructor(model, box) {
    Object.assign(this, { model, box });
    addEventListener("scroll", () => this.hide(), { passive: true });
  }

  show(node, group) {
    this.box.replaceChildren(...this.content(this.model.nodes[node]));
    this.box.hidden = false;
    const near = group.getBoundingClientRect(), own = this.box.getBoundingClientRect();
    const within = (at, size, all) => Math.min(Math.max(8, at), all - size - 8);
    let left = within(near.left, own.width, innerWidth), top = near.bottom + 8;
    if (top + own.height > innerHeight) top = near.top - own.height - 8;
    if (top < 8) {
      top = within(near.top, own.height, innerHeight);
      const beside = near.right + 22;
      left = beside + own.width < innerWidth ? beside : Math.max(8, near.left - own.width - 8);
    }
    this.box.style.top = `${top}px`;
    this.box.style.left = `${left}px`;
  }

  hide() {
    this.box.hidden = true;
  }

  content({ split, lines, ways, counts, code, picture, proof, trained }) {
    const { classes } = this.model;
    const parts = [html("h3", {}, split ? "Decision" : `Leaf: ${classes[code]}`)];
    if (split) parts.push(html("p", { class: "plane" }, ...lines.slice(0, 40).map((line) => html("span", {}, line))));
    if (split && lines.length > 40) parts.push(html("p", {}, `and ${lines.length - 40} more`));
    if (split) parts.push(html("p", { class: "quiet" }, `Branches: ${ways.join(" | ")}`));
    if (picture) {
      const name = picture.thresholds ? picture.name : "rows by branch";
      parts.push(svg("svg", { viewBox: "0 0 300 92", class: "wide" }, bars(picture, 4, 8, 292, 64), svg("text", { x: 150, y: 89, class: "small", "text-anchor": "middle" }, name)));
    }
    parts.push(this.table(counts, trained));
    if (proof) parts.push(html("p", { class: "quiet" }, proof));
    return parts;
  }

  table(counts, trained) {
    const same = !trained || counts.every((count, c) => Math.abs(count - trained[c]) < 1e-3);
    const all = total(counts) || 1;
    const order = counts.map((_, c) => c).filter((c) => counts[c] || (trained && trained[c])).sort((a, b) => counts[b] - counts[a]).slice(0, 8);
    const head = html("tr", {}, html("th", {}, "class"), html("th", {}, "rows"), html("th", {}, "share"), same ? null : html("th", {}, "in training"));
    const body = order.map((c) => html("tr", {},
      html("td", {}, html("i", { class: "dot", style: `background:${color(c)}` }), this.model.classes[c]),
      html("td", {}, count(counts[c])),
      html("td", {}, percent(counts[c] / all)),
      same ? null : html("td", {}, count(trained[c]))));
    return html("table", {}, head, ...body);
  }
}

// A dot that goes the way of a row, the larger part where it divides.
const addRunner = (drawing) => {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  let turn = 0;
  drawing.run = (visits) => {
    const mine = ++turn;
    const paths = [];
    let node = 0;
    const share = new Map(visits.map((visit) => [visit.node, visit.share]));
    while (drawing.model.nodes[node].split) {
      const next = drawing.model.nodes[node].children.filter((child) => share.has(child));
      node = next.reduce((a, b) => (share.get(b) > share.get(a) ? b : a));
      paths.push(drawing.svg.querySelector(`path[data-to="${node}"]`));
    }
    const dot = svg("circle", { r: 7, class: "runner" });
    drawing.svg.append(dot);
    const begin = performance.now();
    const step = (now) => {
      const at = (now - begin) / 450, path = paths[Math.floor(at)];
      if (!path || mine !== turn) return dot.remove();
      const { x, y } = path.getPointAtLength((at % 1) * path.getTotalLength());
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  };
};

const listenToTheme = (button) => {
  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  button.addEventListener("click", () => (document.documentElement.dataset.theme = dark() ? "light" : "dark"));
};

// The score sheet is printed without the rest of the page.
const listenToPrint = (button) => {
  const { classList } = document.documentElement;
  if (button)
    button.addEventListener("click", () => {
      classList.add("sheet-only");
      print();
      classList.remove("sheet-only");
    });
};
