// Open a table: dropped, chosen from the folder, or an example; then how it was read.

import { api, upload } from "./api.js";
import { busy, button, check, choice, dropBox, field, input, kindButton, note, part, say, table, tried } from "./parts.js";

const EXAMPLES = [["breast-cancer", "Breast cancer: 569 tumors, 30 measurements"], ["iris", "Iris: 150 flowers, 4 measurements"], ["wine", "Wine: 178 wines, 13 measurements"]];
const DELIMITERS = [["", "detected"], [",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "vertical bar"]];
const DECIMALS = [["", "detected"], [".", "point"], [",", "comma"]];
const ENCODINGS = [["", "detected"], ["utf-8", "UTF-8"], ["cp1252", "Windows-1252"], ["latin-1", "Latin-1"], ["utf-16", "UTF-16"]];

const opened = async (file) => {
  const done = busy(`Reading ${file} …`);
  try {
    await api("open", { file });
  } finally {
    done();
  }
  location.hash = "columns";
};

const take = tried(async (file) => {
  say(`Receiving ${file.name}`, "done");
  await opened(await upload(file, (share) => share < 1 && say(`Receiving ${file.name}: ${Math.round(100 * share)}%`, "done")));
});

const ways = async (folder) => {
  const files = await api("files");
  const pick = choice("file", [["", "a table in the folder"], ...files.map((name) => [name, name])], "", tried((name) => name && opened(name)));
  const examples = EXAMPLES.map(([name, text]) => button(`example-${name}`, text, tried(async () => {
    await api("example", { name });
    location.hash = "columns";
  })));
  return part("opening", "Open a table", null,
    dropBox("drop", "CSV, TSV, Excel, JSON lines, Parquet, Feather or ARFF", take),
    html("div", { class: "row" },
      field("file", "Or open", pick, `in ${folder}`),
      field("path", "Or type its name", input("path", "", tried((name) => name && opened(name)), { placeholder: "tables/heart.csv" }))),
    html("div", { class: "row", role: "group", "aria-label": "Examples" }, html("span", { class: "quiet" }, "Or try an example:"), ...examples));
};

const reread = (how) => tried(() => api("reread", { how }))();

const howRead = ({ recipe, survey }) => {
  const named = (options, found) => options.map(([key, text]) => [key, key === "" && found ? `${text}: ${options.find(([each]) => each === found)?.[1] ?? found}` : text]);
  const missing = recipe.missing.join(" ");
  const controls = survey.encoding ? [
    field("delimiter", "Delimiter", choice("delimiter", named(DELIMITERS, survey.delimiter), recipe.delimiter ?? "", (v) => reread({ delimiter: v || null }))),
    field("decimal", "Decimal sign", choice("decimal", named(DECIMALS, survey.decimal), recipe.decimal ?? "", (v) => reread({ decimal: v || null }))),
    field("encoding", "Encoding", choice("encoding", named(ENCODINGS, survey.encoding), recipe.encoding ?? "", (v) => reread({ encoding: v || null }))),
    check("header", "The first row has the names", recipe.header, (v) => reread({ header: v })),
  ] : [];
  return [
    html("div", { class: "row" }, ...controls,
      field("missing", "More words for a missing cell", input("missing", missing, (v) => reread({ missing: v.split(/\s+/).filter(Boolean) }), { placeholder: "such as -9 unknown" })),
      check("dates", "Dates as numbers (year, month, weekday, days)", recipe.dates, (v) => reread({ dates: v }))),
    ...survey.notes.map((text) => note(text)),
  ];
};

const preview = (project) => {
  const { recipe, survey } = project;
  const kinds = survey.columns.map((column) => html("span", {}, html("bdi", {}, column.name), html("br"), kindButton(recipe, column)));
  return part("preview", `${recipe.file}: ${count(survey.rows)} rows, ${survey.columns.length} columns`, "The first rows as they were read. Click a kind to change it.",
    ...howRead(project),
    table(kinds, survey.head.map((row) => row.map((each) => each)), { class: "cells", label: "First rows" }),
    html("p", {}, html("a", { href: "#columns", class: "next", id: "next" }, "Next: look at the columns")));
};

export const openScreen = async (box, { project, folder }) => {
  box.replaceChildren(await ways(folder), ...(project ? [preview(project)] : []));
};
