// Elements, made so that no text is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes))
    if (name === "style") element.style.cssText = value; // strict policies refuse the attribute
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
};

const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

const color = (code) => `var(--class-${code % 10})`;
const percent = (share) => `${(100 * share).toFixed(share > 0.0005 && share < 0.9995 ? 1 : 0)}%`;
const total = (numbers) => numbers.reduce((a, b) => a + b, 0);
const short = (number) => String(Number(number.toPrecision(4)));
const count = (n) => n.toLocaleString("en-US", { maximumFractionDigits: 1 });
const rowsText = (n) => `${count(n)} row${n === 1 ? "" : "s"}`;

const ruler = document.createElement("canvas").getContext("2d");
const family = getComputedStyle(document.body).fontFamily;
const widthOf = (text, bold) => {
  ruler.font = `${bold ? 600 : 400} 13px ${family}`;
  return ruler.measureText(text).width;
};

// A long text without its middle: how names begin and end tells them apart.
const cutTo = (text, width, bold) => {
  if (widthOf(text, bold) <= width) return text;
  const letters = Array.from(text);
  const keep = (n) => `${letters.slice(0, Math.ceil(n / 2)).join("")}…${n > 1 ? letters.slice(-Math.floor(n / 2)).join("") : ""}`;
  let kept = letters.length - 1;
  while (kept > 1 && widthOf(keep(kept), bold) > width) kept--;
  return keep(kept);
};

// Classes that a bar shows apart: all of few, else the three largest and the rest as one, which is gray.
const REST = "var(--class-rest)";
const grouped = (counts) => {
  const codes = counts.map((_, code) => code).filter((code) => counts[code] > 0);
  if (codes.length <= 4) return codes.map((code) => ({ codes: [code], color: color(code) }));
  const order = codes.sort((a, b) => counts[b] - counts[a] || a - b);
  const largest = order.slice(0, 3).map((code) => ({ codes: [code], color: color(code) }));
  return [...largest, { codes: order.slice(3), color: REST }];
};

// Bar of class shares, from x to x + width.
const shareBar = (counts, x, y, width, height) => {
  const all = total(counts) || 1;
  let at = x;
  const parts = grouped(counts).map(({ codes, color: fill }) => {
    const wide = (width * total(codes.map((code) => counts[code]))) / all;
    const part = svg("rect", { x: at, y, width: Math.max(0, wide), height, fill });
    at += wide;
    return part;
  });
  return svg("g", {}, svg("rect", { x, y, width, height, class: "track" }), ...parts);
};

// Place of a number in a picture from x to x + width.
const placeIn = ({ low, width: step, bars: [first] }, value, x, width) =>
  x + Math.min(1, Math.max(0, (value - low) / (step * first.length))) * width;

// Stacked bars of a picture, and its thresholds.
const bars = (picture, x, y, width, height) => {
  const n = picture.bars[0].length;
  const tallest = Math.max(1e-9, ...picture.bars[0].map((_, i) => total(picture.bars.map((bar) => bar[i]))));
  const step = width / n, groups = grouped(picture.bars.map(total));
  const group = svg("g", { class: "bars" });
  for (const [low, high] of picture.zones || []) {
    const [left, right] = [low, high].map((end) => placeIn(picture, end, x, width));
    group.append(svg("rect", { x: left, y: y - 3, width: right - left, height: height + 3, class: "zone" }));
  }
  for (let i = 0; i < n; i++) {
    let top = y + height;
    groups.forEach(({ codes, color: fill }) => {
      const rows = total(codes.map((code) => picture.bars[code][i]));
      if (!rows) return;
      const tall = (height * rows) / tallest;
      top -= tall;
      const gap = picture.thresholds ? 0.4 : step * 0.2;
      group.append(svg("rect", { x: x + i * step + gap, y: top, width: step - 2 * gap, height: tall, fill }));
    });
  }
  group.append(svg("line", { x1: x, x2: x + width, y1: y + height, y2: y + height, class: "axis" }));
  for (const threshold of picture.thresholds || []) {
    const line = placeIn(picture, threshold, x, width);
    group.append(svg("line", { x1: line, x2: line, y1: y - 3, y2: y + height + 3, class: "threshold" }));
  }
  return group;
};
