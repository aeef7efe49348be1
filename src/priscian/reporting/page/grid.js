// Grids: one stop for the Tab key, arrows inside, Enter or a click opens a cell.

function keyboard(table, opened, focused) {
  const rows = () =>
    [...table.rows].map((r) => [...r.querySelectorAll('[role="gridcell"]')]).filter((r) => r.length);
  const enter = (cell) => {
    for (const other of table.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
  };
  if (rows().length) enter(rows()[0][0]);
  table.addEventListener("keydown", (event) => {
    const cell = event.target.closest('[role="gridcell"]');
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      opened(cell);
      return;
    }
    const all = rows();
    const y = all.findIndex((row) => row.includes(cell));
    const x = all[y].indexOf(cell);
    const moves = {
      ArrowLeft: [y, x - 1], ArrowRight: [y, x + 1], ArrowUp: [y - 1, x], ArrowDown: [y + 1, x],
      Home: [y, 0], End: [y, all[y].length - 1],
    };
    const to = moves[event.key];
    const next = to && all[to[0]]?.[to[1]];
    if (!to) return;
    event.preventDefault();
    if (next) {
      enter(next);
      next.focus();
    }
  });
  table.addEventListener("click", (event) => {
    const cell = event.target.closest('[role="gridcell"]');
    if (!cell) return;
    enter(cell);
    opened(cell);
  });
  for (const kind of ["focusin", "mouseover"])
    table.addEventListener(kind, (event) => {
      const cell = event.target.closest('[role="gridcell"]');
      if (cell) focused(cell);
    });
}

const percent = (share) => (100 * share).toFixed(1);

const STANDING = { "at chance": "unsure", unsure: "unsure", tied: "tied" };

function saysOf([accuracy, low, high, n, ties]) {
  if (n && ties === n) return `all ${n.toLocaleString("en")} item${n > 1 ? "s" : ""} tied`;
  const parts = [`${percent(accuracy)} %`];
  if (low !== null) parts.push(`interval ${percent(low)}–${percent(high)}`);
  if (n) parts.push(`n = ${n.toLocaleString("en")}`);
  if (ties) parts.push(`${ties.toLocaleString("en")} tied`);
  return parts.join(", ");
}

/** The sets of a class, one column per system; a cell leads to its items. */
function drawDetail(board, place, name, rowLabel, choose) {
  const sets = name ? board.classes[name] : Object.values(board.classes).flat();
  const columns = board.rows.filter((row) => isShown(row.label) && sets.some((set) => row.sets[set]));
  const shown = (row) => (row.people ? "People" : row.label.replace(/\*$/, ""));
  const head = make("tr", { role: "row" },
    make("th", { scope: "col", role: "columnheader", class: "corner" }, board.unit),
    ...columns.map((row) =>
      make("th", { scope: "col", role: "columnheader", class: row.published ? "published" : null },
        shown(row))));
  const body = sets.map((set) =>
    make("tr", { role: "row" },
      make("th", { scope: "row", role: "rowheader" },
        make("button", { type: "button", "data-set": set }, board.labels[set] ?? set),
        board.chances ? make("small", {}, ` chance ${(100 * board.chances[set]).toFixed(0)}`) : null),
      ...columns.map((row) => {
        const cell = row.sets[set];
        const attributes = {
          role: "gridcell", tabindex: "-1", "data-set": set, "data-row": row.label,
          class: [cell ? `c${cell[5]}` : "none", STANDING[cell?.[6]] ?? "",
            row.label === rowLabel ? "chosen" : "", row.published ? "published" : ""].join(" "),
          title: cell ? `${shown(row)}, ${board.labels[set]}: ${saysOf(cell)}` : null,
        };
        return make("td", attributes, cell?.[7] ?? "–");
      })));
  const title = name ? board.labels[name] : `All ${board.unit}s`;
  const table = make("table", { class: "heat inner", role: "grid", "aria-label": title },
    make("thead", {}, head), make("tbody", {}, ...body));
  place.replaceChildren(
    make("h4", { tabindex: "-1" }, title,
      make("span", {}, ` ${sets.length} ${board.unit}${sets.length === 1 ? "" : "s"}`)),
    make("div", { class: "scroll" }, table));
  place.hidden = false;
  const opened = (cell) => choose(cell.dataset.set, cell.dataset.row);
  keyboard(table, opened, () => {});
  table.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-set]");
    if (button) choose(button.dataset.set, rowLabel);
  });
}
