// From which probability on a row counts as the class: what is found, what is missed, and what that costs.

const listenToThreshold = (model, find) => {
  const { threshold } = model, slider = find("threshold-at");
  if (!threshold || !slider) return;
  const { found, alarms, positive, negative } = threshold;
  const [miss, alarm] = [find("cost-miss"), find("cost-alarm")];
  const cost = (i) => Number(miss.value) * (positive - found[i]) + Number(alarm.value) * alarms[i];
  const best = () => found.reduce((least, _, i) => (cost(i) < cost(least) - 1e-12 ? i : least), 0);
  const share = (part, whole) => (whole ? percent(part / whole) : "–");
  const update = () => {
    const i = Number(slider.value), least = best(), taken = found[i] + alarms[i];
    const said = {
      "said-at": percent(i / 100),
      "said-found": `${count(found[i])} of ${count(positive)} (${share(found[i], positive)})`,
      "said-missed": count(positive - found[i]),
      "said-alarms": `${count(alarms[i])} of ${count(negative)} (${share(alarms[i], negative)})`,
      "said-precision": share(found[i], taken),
      "said-cost": `${short(cost(i) / (positive + negative))} per row`,
      "said-best": `${percent(least / 100)} costs ${short(cost(least) / (positive + negative))} per row`,
    };
    for (const [id, text] of Object.entries(said)) find(id).textContent = text;
  };
  for (const input of [slider, miss, alarm]) input.addEventListener("input", update);
  find("to-best").addEventListener("click", () => {
    slider.value = best();
    update();
  });
  update();
};
