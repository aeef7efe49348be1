// Of many models, which are shown: rows of the tables, answers below items, and marks in figures.

const CHIPS = 8;
const hiddenModels = new Set();

/** Whether a model, under its name or "name on data", is shown. */
function isShown(label) {
  if (hiddenModels.has(label)) return false;
  const at = label.indexOf(" on ");
  return at < 0 || !hiddenModels.has(label.slice(0, at));
}

function watchPicker(changed) {
  const picker = document.getElementById("picker");
  if (!picker) return;
  const boxes = [...picker.querySelectorAll("input")];
  const chosen = () => {
    apply();
    keep("models");
    changed();
  };
  const apply = () => {
    hiddenModels.clear();
    for (const box of boxes) if (!box.checked) hiddenModels.add(box.value);
    for (const row of document.querySelectorAll("tr[data-model]")) row.hidden = !isShown(row.dataset.model);
    const count = boxes.length - hiddenModels.size;
    picker.querySelector("summary b").textContent = hiddenModels.size ? `${count} of ${boxes.length}` : "all";
  };
  kept.push({
    read: () => {
      const [only, without] = [true, false].map((on) => boxes.filter((box) => box.checked === on).map((box) => box.value));
      if (!without.length) return [];
      if (!only.length) return [["only", ""]];
      const few = only.length <= without.length;
      return (few ? only : without).map((name) => [few ? "only" : "without", name]);
    },
    restore: (address) => {
      const before = [...hiddenModels].join("\n");
      const only = address.getAll("only"), without = address.getAll("without");
      for (const box of boxes) box.checked = only.length ? only.includes(box.value) : !without.includes(box.value);
      apply();
      if ([...hiddenModels].join("\n") !== before) changed();
    },
  });
  picker.addEventListener("input", chosen);
  picker.addEventListener("click", (event) => {
    const all = event.target.closest("button")?.dataset.all;
    if (all === undefined) return;
    for (const box of boxes) box.checked = Boolean(all);
    chosen();
  });
}

/** The models whose answers an item shows: the chosen one first, and a few others. */
function shownModels(models, chosen) {
  const others = models.map((name, k) => k).filter((k) => k !== chosen && isShown(models[k]));
  return others.length < CHIPS ? [chosen, ...others].sort((a, b) => a - b) : [chosen];
}

/** Of many models, how many have an item right. */
function drawTally(store, i) {
  const states = store.answers.map((a) => a.state[i]).filter((s, k) => s !== ABSENT && isShown(store.board.models[k]));
  const right = states.filter((s) => s === RIGHT).length;
  return make("span", { class: "chip" }, `right by ${right} of ${states.length} models`);
}
