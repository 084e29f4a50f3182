// The page: everything it shows is made here, once.

const open = () => {
  const find = (id) => document.getElementById(id);
  const model = JSON.parse(find("model").textContent);
  document.documentElement.classList.add("live");
  const drawing = new Drawing(model, find("tree"), new NodeCard(model, find("card")));
  const outline = new Outline(model, find("outline"));
  drawing.onMark = (visits) => outline.mark(visits);
  listenToFrame(drawing);
  addRunner(drawing);
  const actions = {
    closer: () => drawing.zoomTo(drawing.zoom * 1.25),
    farther: () => drawing.zoomTo(drawing.zoom / 1.25),
    fit: () => drawing.fit(),
    expand: () => drawing.expandAll(),
    collapse: () => drawing.collapseAll(),
  };
  for (const [name, act] of Object.entries(actions)) find(name).addEventListener("click", act);
  if (model.nodes.filter(({ split }) => !split).length > 24) drawOverview(drawing, find("overview"));
  listenToSearch(drawing, find("search"), find("found"));
  new Links(drawing, ["tree", "outline", "overview", "rules"].map(find).filter(Boolean));
  const narrow = matchMedia("(max-width: 560px)"), adapt = () => (find("as-list").open = narrow.matches);
  narrow.addEventListener("change", adapt);
  adapt();
  listenToThreshold(model, find);
  listenToTheme(find("theme"));
  listenToPrint(find("print-sheet"));
  if (model.columns.length)
    new Form(model, drawing, { fields: find("fields"), start: find("start"), answer: find("answer"), steps: find("steps") });
  drawing.fit();
  if (model.nodes.filter(({ split }) => !split).length <= 24) addEventListener("beforeprint", () => drawing.expandAll());
};

open();
