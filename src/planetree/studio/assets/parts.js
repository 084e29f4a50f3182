// Parts that screens are made of: headings, fields, buttons, tables, charts. All text is text.

import { api } from "./api.js";

export const part = (id, title, lead, ...content) =>
  html("section", { id, "aria-labelledby": `${id}-title` }, html("h2", { id: `${id}-title` }, title), lead ? html("p", { class: "lead" }, lead) : null, ...content);

export const button = (id, text, act, more = {}) => {
  const found = html("button", { id, type: "button", ...more }, text);
  found.addEventListener("click", act);
  return found;
};

export const field = (id, label, control, hint) =>
  html("div", { class: "ask" }, html("label", { for: id }, label), control, hint ? html("span", { class: "quiet" }, hint) : null);

export const input = (id, value, changed, more = {}) => {
  const found = html("input", { id, ...more });
  found.value = value ?? "";
  found.addEventListener("change", () => changed(found.value));
  return found;
};

export const choice = (id, options, value, changed, more = {}) => {
  const found = html("select", { id, ...more }, ...options.map(([key, text]) => html("option", { value: key }, text)));
  found.value = value ?? "";
  found.addEventListener("change", () => changed(found.value));
  return found;
};

export const check = (id, label, value, changed) => {
  const box = html("input", { id, type: "checkbox" });
  box.checked = value;
  box.addEventListener("change", () => changed(box.checked));
  return html("label", { class: "check", for: id }, box, label);
};

// The kind of a column; a click reads it as the other one.
export const kindButton = ({ categorical, numeric }, { name, kind }) => {
  if (kind === "dates" || kind === "yes or no") return html("span", { class: "quiet" }, kind);
  const next = kind === "numbers" ? "categories" : "numbers";
  const put = (list, on) => (on ? [...new Set([...list, name])] : list.filter((each) => each !== name));
  const turn = tried(() => api("reread", { how: { categorical: put(categorical, next === "categories"), numeric: put(numeric, next === "numbers") } }));
  return button(`kind-${name}`, kind, turn, { class: "small-button", title: `Read it as ${next}`, "aria-label": `${name}: ${kind}. Read it as ${next}.` });
};

const cell = (name, content, more = {}) => html(name, more, content instanceof Node ? content : html("bdi", {}, content === null || content === undefined ? "–" : String(content)));

export const table = (head, rows, more = {}) =>
  html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": more.label ?? "Table" },
    html("table", { class: more.class },
      html("thead", {}, html("tr", {}, ...head.map((each) => cell("th", each, { scope: "col" })))),
      html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map((each, i) => (i ? cell("td", each) : cell("th", each, { scope: "row" }))))))));

export const tiles = (pairs) => html("div", { class: "tiles" }, ...pairs.map(([value, name]) => html("div", { class: "tile" }, html("b", {}, String(value)), html("span", {}, name))));

export const note = (text, kind = "note") => html("p", { class: `note ${kind}` }, text);

export const say = (text, kind = "error") => {
  const box = document.getElementById("messages");
  const line = html("div", { class: `message ${kind}` }, html("span", {}, text), button(null, "Close", () => line.remove()));
  box.replaceChildren(line);
  if (kind === "done") setTimeout(() => line.remove(), 5000);
};

// Say what is being waited for, until the answer is there.
export const busy = (text) => {
  say(text, "busy");
  return () => document.querySelector("#messages .busy")?.remove();
};

// Do something that may fail, and say why; what was said of something before goes.
export const tried = (act) => async (...given) => {
  document.querySelector("#messages .error")?.remove();
  try {
    return await act(...given);
  } catch (error) {
    say(error.message);
    return undefined;
  }
};

// Round values between two ends, with four to ten steps between them.
const ticks = ([low, high]) => {
  const rough = (high - low || 1) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = [5, 2, 1].map((each) => each * power).find((each) => each <= rough * 1.001);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(i * step);
  return found;
};

// A chart: x and y from low to high, with a grid, in a frame of its own.
export const chart = (label, { x, y, width = 460, height = 250, across, up }, draw) => {
  const frame = { left: 66, top: 12, right: width - 16, bottom: height - 44 };
  const at = (value, [low, high], from, to) => from + ((value - low) / (high - low || 1)) * (to - from);
  const px = (value) => at(value, x, frame.left, frame.right), py = (value) => at(value, y, frame.bottom, frame.top);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label });
  for (const value of ticks(y)) {
    picture.append(svg("line", { x1: frame.left, x2: frame.right, y1: py(value), y2: py(value), class: "grid" }));
    picture.append(svg("text", { x: frame.left - 6, y: py(value) + 4, class: "small", "text-anchor": "end" }, up.text(value)));
  }
  for (const place of ticks(x)) picture.append(svg("text", { x: px(place), y: frame.bottom + 18, class: "small", "text-anchor": "middle" }, across.text(place)));
  picture.append(svg("text", { x: (frame.left + frame.right) / 2, y: height - 6, class: "small", "text-anchor": "middle" }, across.name));
  picture.append(svg("text", { class: "small", "text-anchor": "middle", transform: `translate(11 ${(frame.top + frame.bottom) / 2}) rotate(-90)` }, up.name));
  draw(picture, px, py, frame);
  return picture;
};

export const roundedPercent = (value) => `${Number((100 * value).toPrecision(3))}%`;

export const copyable = (id, text) => {
  const box = html("pre", { id, class: "code", tabindex: 0 }, text);
  const copy = button(`${id}-copy`, "Copy", async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.", "done");
    } catch { // browsers have no clipboard for pages of other machines without encryption
      getSelection().selectAllChildren(box);
      say("The browser does not let this page copy. The text is selected: press Ctrl+C.", "done");
    }
  });
  return html("div", { class: "copyable" }, copy, box);
};

// What is dropped on a box, or chosen by its button.
export const dropBox = (id, text, taken) => {
  const chooser = html("input", { id, type: "file", class: "hidden-input" });
  const box = html("label", { class: "drop", for: id }, html("b", {}, text), html("span", { class: "quiet" }, "Drop a file here, or click to choose one. It stays on this machine."), chooser);
  chooser.addEventListener("change", () => chooser.files[0] && taken(chooser.files[0]));
  box.addEventListener("dragover", (event) => {
    event.preventDefault();
    box.classList.add("over");
  });
  box.addEventListener("dragleave", () => box.classList.remove("over"));
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    box.classList.remove("over");
    if (event.dataTransfer.files[0]) taken(event.dataTransfer.files[0]);
  });
  return box;
};
