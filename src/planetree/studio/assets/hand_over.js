// Hand over: the model as a file, a report, code in other languages, and what makes it again.

import { api } from "./api.js";
import { button, choice, copyable, field, note, part, table, tried } from "./parts.js";

const FORMATS = [["sql", "SQL"], ["python", "Python"], ["c", "C"], ["onnx", "ONNX"], ["rules", "Rules"]];
const DIALECTS = ["standard", "sqlite", "duckdb", "postgresql"].map((each) => [each, each]);
const asked = { to: "sql", dialect: "sqlite" };
let kept = { key: null, found: null };

const link = (id, href, text) => html("a", { id, class: "next", href, download: "" }, text);

const triedPart = ({ rows, engine, note: said }) =>
  rows.length ? html("div", { id: "tried" }, html("p", { class: rows.every(({ same }) => same) ? "badge" : "note warn" }, rows.every(({ same }) => same) ? `✓ ${engine} gives the model's class for ${rows.length} rows of the table` : "The database and the model differ."), table(["row", "by SQL", "by the model"], rows.map(({ number, sql, model }) => [number, sql, model]))) : note(said);

const exportPart = async (project, redraw) => {
  const key = JSON.stringify([project.fitted.model, project.terms, project.edits, asked]);
  if (kept.key !== key) {
    try {
      kept = { key, found: await api("exported", { to: asked.to, dialect: asked.to === "sql" ? asked.dialect : null }) };
    } catch (error) {
      kept = { key, found: { error: error.message } };
    }
  }
  const { found } = kept, query = asked.to === "sql" ? `?dialect=${asked.dialect}` : "";
  const content = found.error ? [note(found.error, "warn")] : [
    html("p", {}, link("download-export", `api/download/${asked.to}${query}`, `Download (${count(found.bytes)} bytes)`)),
    ...(found.tried ? [triedPart(found.tried)] : []),
    ...(found.text ? [copyable("export-text", found.text)] : []),
  ];
  return part("exporting", "The model in another language", "What it computes is what the model predicts, row by row.",
    html("div", { class: "row" }, field("format", "Format", choice("format", FORMATS, asked.to, (v) => redraw({ to: v }))), asked.to === "sql" ? field("dialect", "Dialect", choice("dialect", DIALECTS, asked.dialect, (v) => redraw({ dialect: v }))) : null), ...content);
};

export const handOverScreen = async (box, { project }) => {
  const redraw = tried(async (changes) => {
    Object.assign(asked, changes);
    await draw();
  });
  const draw = async () => box.replaceChildren(
    part("files", "Files", "The model file is read by the command and the library; the report is one page that explains it, without any network.",
      html("div", { class: "row" }, link("download-model", "api/download/json", "Model file (model.json)"), link("download-report", "api/download/report", "Report (report.html)"))),
    await exportPart(project, redraw),
    part("again", "Make it again", "Run these in the folder of the table: they repeat every click and make the same model.",
      html("h3", {}, "Commands"), copyable("command-code", project.code.command), html("h3", {}, "Python"), copyable("python-code", project.code.python)));
  await draw();
};
