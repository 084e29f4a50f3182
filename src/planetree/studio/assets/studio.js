// The studio: what is open, which screen is shown, what long work is under way.

import { api, listen, state } from "./api.js";
import { button, part, say, tried } from "./parts.js";
import { openScreen } from "./open.js";
import { columnsScreen } from "./columns.js";
import { goalScreen } from "./goal.js";
import { modelScreen } from "./model.js";
import { rowsScreen } from "./rows.js";
import { compareScreen } from "./compare.js";
import { scoreScreen } from "./score.js";
import { handOverScreen } from "./hand_over.js";

const SCREENS = {
  open: ["Open", openScreen, () => true],
  columns: ["Columns", columnsScreen, (project) => project],
  goal: ["Goal", goalScreen, (project) => project],
  model: ["Model", modelScreen, (project) => project],
  rows: ["Rows", rowsScreen, (project) => project?.fitted],
  compare: ["Compare", compareScreen, (project) => project],
  score: ["Score and check", scoreScreen, (project) => project?.fitted],
  "hand-over": ["Hand over", handOverScreen, (project) => project?.fitted],
};
const WORK = { fit: "Fitting", compare: "Comparing methods", search: "SET-GEN is searching", cost: "Counting what the edits cost" };

const find = (id) => document.getElementById(id);
let present = null;
let shown = null;

const asked = () => {
  const name = location.hash.slice(1);
  if (SCREENS[name] && SCREENS[name][2](present?.project)) return name;
  return present?.project ? (present.project.fitted ? "model" : "columns") : "open";
};

const drawSteps = (current) => {
  const links = Object.entries(SCREENS).map(([name, [title, , may]]) => {
    const on = may(present?.project);
    return html("a", on ? { href: `#${name}`, id: `to-${name}`, "aria-current": name === current ? "page" : null } : { id: `to-${name}`, "aria-disabled": "true" }, title);
  });
  const steps = find("steps-of-work"), here = links.find((link) => link.getAttribute("aria-current"));
  steps.replaceChildren(...links);
  if (here) steps.scrollLeft = here.offsetLeft - steps.offsetLeft - (steps.clientWidth - here.offsetWidth) / 2; // on a phone they do not all fit
  find("table-name").replaceChildren(html("bdi", {}, present?.project?.recipe.file ?? ""));
};

// Parts are made once and changed in place: a button that is drawn anew between press and release is not clicked.
const drawWork = () => {
  const box = find("work"), work = present?.work;
  box.hidden = !work;
  if (!work) return;
  if (!box.children.length) box.replaceChildren(html("span", { id: "work-words" }), html("progress", { id: "work-bar", "aria-label": "Progress" }), button("cancel", "", tried(() => api("cancel"))));
  const { stage, done, total } = work.progress ?? {}, bar = find("work-bar");
  find("work-words").textContent = `${WORK[work.name]}${stage ? `: ${stage.toLowerCase()}` : ""}${total ? `, ${done} of ${total}` : ""}`;
  find("cancel").textContent = work.name === "search" ? "Pause" : "Cancel";
  if (total) Object.assign(bar, { max: total, value: done });
  else bar.removeAttribute("value");
};

// What had the focus last, which may have been drawn anew since: its new self takes the focus and what was typed.
let focused = null;
const refocus = () => {
  const now = focused?.id && !focused.isConnected ? find(focused.id) : null;
  if (!now) return;
  const { type, value, selectionStart, selectionEnd } = focused;
  const isText = focused.tagName === "INPUT" && !["checkbox", "range", "file"].includes(type);
  now.focus({ preventScroll: true });
  if (isText) now.value = value;
  if (isText && selectionStart !== null) now.setSelectionRange(selectionStart, selectionEnd);
};

// Draw the screen again; what has the focus keeps it, and what is being typed stays.
const draw = async () => {
  const name = asked(), isStep = document.activeElement?.id?.startsWith("to-");
  drawSteps(name);
  drawWork();
  const screen = SCREENS[name][1], box = find("screen"), moved = name !== shown;
  if (moved) {
    box.replaceChildren();
    if (shown) document.querySelector("#messages .error")?.remove(); // it was of the screen before
    shown = name;
    document.title = `${SCREENS[name][0]} · planetree studio`;
  }
  try {
    await screen(box, present);
  } catch (error) {
    box.replaceChildren(part("failed", "This cannot be shown", error.message, present?.project?.recipe.target ? button("fit-anew", "Make the model again", tried(() => api("fit")), { class: "primary" }) : null));
  }
  if (moved && isStep) box.focus({ preventScroll: true });
  else refocus();
  if (moved) scrollTo(0, 0);
};

let waiting = null, again = false;
const refresh = async () => {
  if (waiting) {
    again = true;
    return;
  }
  waiting = (async () => {
    do {
      again = false;
      present = await state();
      if (present.notice) say(present.notice);
      await draw();
    } while (again);
  })().catch((error) => say(error.message));
  await waiting;
  waiting = null;
};

const heard = (kind, content) => {
  if (kind === "state" || kind === "open") refresh();
  else if (kind === "progress" && present?.work) {
    present.work.progress = content;
    drawWork();
    if (content.search) dispatchEvent(new CustomEvent("search-progress", { detail: content.search }));
  } else if (kind === "failed") say(content.error);
  else if (kind === "lost" || kind === "closed") say("The studio has stopped. Start it again: everything is kept.");
};

listenToTheme(find("theme"));
addEventListener("hashchange", () => draw().catch((error) => say(error.message)));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => event.preventDefault());
addEventListener("focusin", ({ target }) => (focused = target));
listen(heard);
