// Score and check: a new file, its renamed columns, what differs from training, and its predictions.

import { api, upload } from "./api.js";
import { button, choice, dropBox, field, note, part, say, table, tiles, tried } from "./parts.js";

const take = tried(async (file) => {
  say(`Receiving ${file.name}`, "done");
  await api("score", { file: await upload(file), asked: {} });
});

const renames = ({ file, lacking, names, suggested, renamed }) => {
  const chosen = { ...suggested };
  const fields = lacking.map((name) => field(`rename-${name}`, name, choice(`rename-${name}`, [["", "choose its column"], ...names.map((each) => [each, each])], suggested[name], (v) => (chosen[name] = v))));
  const apply = tried(() => {
    const pairs = Object.entries(chosen).filter(([, own]) => own).map(([name, own]) => [own, name]);
    return api("score", { file, asked: { renamed: { ...renamed, ...Object.fromEntries(pairs) } } });
  });
  return part("renames", "Which columns are these?", `${file} lacks ${lacking.length === 1 ? "a column" : `${lacking.length} columns`} that the model reads. Were they renamed?`, html("div", { class: "row" }, ...fields), button("rename", "Use these columns", apply, { class: "primary" }));
};

const checked = (found) => {
  const { file, rows, error, findings, notes, columns, leaves } = found;
  const fine = findings.length ? html("ul", { id: "findings" }, ...findings.map((each) => html("li", {}, each))) : html("p", { id: "findings" }, "The rows look like the training rows.");
  const known = error !== null;
  return [
    part("checked", file, null, tiles([[count(rows), "rows checked"], ...(known ? [[error, "of the rows with a class are wrong"]] : []), [findings.length, findings.length === 1 ? "finding" : "findings"]]), fine, ...notes.map((each) => note(each)),
      html("p", {}, html("a", { class: "next", id: "download-predictions", href: "api/download/predictions", download: "predictions.csv" }, "Download the predictions"))),
    part("drift", "Column by column", null, table(["column", "out of range", "new categories", "missing", "in training"], columns.map((each) => [each.name, each.outside, each.new.join(", ") || "0", each.missing, each.before]))),
    part("leaves", "Leaf by leaf", null, table(["leaf", "answer", "rows", "share", "in training", ...(known ? ["wrong", "in training"] : [])], leaves.map((each) => [each.leaf, each.answer, each.rows, each.share, each.before, ...(known ? [each.error, each.error_before] : [])]))),
  ];
};

export const scoreScreen = async (box, { project }) => {
  const { score } = project, files = await api("files");
  const pick = choice("score-file", [["", "a table in the folder"], ...files.map((name) => [name, name])], score?.file ?? "", tried((file) => file && api("score", { file, asked: {} })));
  box.replaceChildren(
    part("scoring", "Score and check new rows", "Every row gets a class and its probabilities, with its own cells kept. Rows that differ from those of training are found.", dropBox("drop-score", "A table with the columns of the model", take), html("div", { class: "row" }, field("score-file", "Or take", pick))),
    ...(score ? (score.lacking.length ? [renames(score)] : checked(score)) : []));
};
