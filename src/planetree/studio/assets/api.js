// Requests to the studio: actions, files, and what it tells of changes.

export const api = async (action, given = {}) => {
  const answer = await fetch(`api/${action}`, { method: "POST", body: JSON.stringify(given), headers: { "content-type": "application/json" } });
  return read(answer);
};

export const state = async () => (await fetch("api/state")).json();

const read = async (answer) => {
  const said = await answer.json().catch(() => ({ error: `The studio answered with status ${answer.status}. Open it again by the address that it printed.` }));
  if (!answer.ok) throw new Error(said.error);
  return said.result;
};

// Send a file; tells how much of it is there.
export const upload = (file, tell = () => {}) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `api/upload?name=${encodeURIComponent(file.name)}`);
    request.upload.addEventListener("progress", ({ loaded, total }) => tell(loaded / total));
    request.addEventListener("load", () => {
      let said = {};
      try {
        said = JSON.parse(request.responseText);
      } catch {
        said = { error: request.responseText || `Status ${request.status}.` };
      }
      if (request.status === 200) resolve(said.result);
      else reject(new Error(said.error));
    });
    request.addEventListener("error", () => reject(new Error("The file was not received.")));
    request.send(file);
  });

export const listen = (heard) => {
  const source = new EventSource("api/events");
  for (const kind of ["state", "progress", "failed", "closed"])
    source.addEventListener(kind, ({ data }) => heard(kind, JSON.parse(data)));
  source.addEventListener("open", () => heard("open", {}));
  source.addEventListener("error", () => heard("lost", {}));
};
