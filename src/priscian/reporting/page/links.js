// A link for each item, and the items that a filter leaves as a table.

/** The names of the items of a set, in order: their ids, numbered where two are the same. */
function itemNames(store, s) {
  store.names ??= [];
  if (!store.names[s]) {
    const seen = new Map();
    store.names[s] = [];
    for (let i = store.setAt[s]; i < store.setAt[s + 1]; i++) {
      const id = store.idOf(i);
      const copy = (seen.get(id) ?? 0) + 1;
      seen.set(id, copy);
      store.names[s].push(`${store.sets[s]}/${id}${copy > 1 ? `~${copy}` : ""}`);
    }
  }
  return store.names[s];
}

function nameOf(store, i) {
  const s = store.setOf(i);
  return itemNames(store, s)[i - store.setAt[s]];
}

/** The number of the item of a name, −1 if there is none. */
function itemNamed(store, name) {
  for (let s = 0; s < store.sets.length; s++) {
    if (!name.startsWith(`${store.sets[s]}/`)) continue;
    const place = itemNames(store, s).indexOf(name);
    if (place >= 0) return store.setAt[s] + place;
  }
  return -1;
}

function drawLink(store, i, m) {
  const { board } = store;
  const name = nameOf(store, i);
  const href = hashOf([["data", board.id], ["set", store.sets[store.setOf(i)]], ["model", board.models[m]], ["item", name]]);
  return make("a", { class: "link", href, "data-item": name, title: "Copy a link to this item" }, "Link",
    make("span", { class: "sr" }, ` to ${name}`));
}

/** Copy a link; where the browser does not allow that, the address bar has it. */
async function copyLink(link) {
  const said = document.getElementById("said");
  try {
    await navigator.clipboard.writeText(new URL(link.getAttribute("href"), location.href).href);
    said.textContent = "Link copied.";
    link.dataset.copied = "yes";
    setTimeout(() => delete link.dataset.copied, 2000);
  } catch {
    said.textContent = "The address bar has the link.";
  }
}

const STATES = { [WRONG]: "wrong", [RIGHT]: "right", [TIE]: "tied", [ABSENT]: "" };

/**
 * A line of a CSV file; a field with a comma, a quotation mark or a line break is quoted. A text that a spreadsheet
 * would take for a formula begins with an apostrophe; numbers are left alone.
 */
const csvLine = (fields) => fields.map((field) => {
  const text = typeof field === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(field) ? `'${field}` : String(field ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(",");

const csvNumber = (value) => (Number.isFinite(value) ? Number(value.toPrecision(6)) : "");

/** Items with their texts, people's ratings and every model's answer and difference, as CSV. */
function itemsCsv(store, found) {
  const { board } = store;
  const classOf = new Map(Object.entries(board.classes).flatMap(([name, sets]) => sets.map((set) => [set, name])));
  const unit = unitOf(store);
  const texts = textsOf(store, found);
  const rated = store.people?.ratings;
  const head = ["item", "set", ...(board.level === board.unit ? [] : [board.level]), ...texts.head,
    ...(rated ? ["people, acceptable", "people, unacceptable"] : []),
    ...board.models.flatMap((name) => [`${name}: answer`, `${name}: difference${unit.name && ` (${unit.name.trim()})`}`])];
  const lines = found.map((i) => {
    const set = store.sets[store.setOf(i)];
    return csvLine([nameOf(store, i), set, ...(board.level === board.unit ? [] : [classOf.get(set)]), ...texts.of(i),
      ...(rated ? rated[i] ?? ["", ""] : []),
      ...store.answers.flatMap(({ state, delta }) =>
        (state[i] === ABSENT ? ["", ""] : [STATES[state[i]], csvNumber(delta[i] * unit.scale)]))]);
  });
  return `${[csvLine(head), ...lines].join("\r\n")}\r\n`;
}

/** Columns of texts: both sentences, the one, or a sentence for each condition of a suite. */
function textsOf(store, found) {
  if (store.board.kind !== "suites")
    return store.paired
      ? { head: ["acceptable", "unacceptable"], of: (i) => [store.text(i, false), store.text(i, true)] }
      : { head: ["sentence"], of: (i) => [store.text(i, false)] };
  const head = [...new Set(found.flatMap((i) => store.suites[store.setOf(i)].conditions))];
  const of = (i) => {
    const rows = new Map(store.item(i, 0).map((row) => [row.condition, row.contents.filter(Boolean).join(" ")]));
    return head.map((condition) => rows.get(condition) ?? "");
  };
  return { head, of };
}
