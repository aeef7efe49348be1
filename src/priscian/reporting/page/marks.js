// From a mark of a figure to the items behind it.

const MARKS_WITH_ITEMS = new Set(["symbol", "rect", "rule", "arc"]);
const MODEL_FIELDS = ["checkpoint", "model"];
const PART_FIELDS = ["set", "suite", "name", "label"];

/** A name without the signs in which its spellings differ: npi_licensing, NPI licensing. */
const plainName = (name) => String(name).toLowerCase().replace(/[_–/\s-]+/g, " ").trim();

/** The boards that a figure can be about. */
function boardsOf(figure, datum) {
  const own = data.boards.filter((board) => figure.startsWith(`${board.id}-`));
  if (own.length) return own;
  return data.boards.filter((board) => !datum.data || board.data.includes(datum.data));
}

/** The class or set of a board that a mark is about: { cls, set }, or null. */
function partOf(board, datum) {
  const said = PART_FIELDS.filter((field) => typeof datum[field] === "string").map((field) => plainName(datum[field]));
  const find = (names) => names.find((name) => said.includes(plainName(name)));
  const set = find(Object.values(board.classes).flat());
  if (set !== undefined) return { cls: "", set };
  const cls = find([...Object.keys(board.classes), ...Object.keys(board.groups)].filter(Boolean));
  if (cls !== undefined) return { cls, set: "" };
  return said.includes("overall") ? { cls: "", set: "" } : null;
}

/** The two models whose difference a mark shows, the better one first; null for other marks. */
function twoOf(board, datum, spec, view) {
  if (typeof datum.difference !== "number") return null;
  let names = null;
  if (spec.params?.some((param) => param.name === "baseline")) names = [view.signal("chosen"), view.signal("baseline")];
  else walk(spec, (part) => {
    if (part.field === "better" && part.scale?.domain) names ??= part.scale.domain.slice(0, 2);
  });
  if (!names?.every((name) => board.models.includes(name)) || names[0] === names[1]) return null;
  return datum.difference < 0 ? [names[1], names[0]] : names;
}

/** What the browser of items shows for a mark, or null. */
function itemsOf(figure, item, spec, view) {
  const datum = item?.datum;
  if (!datum || !MARKS_WITH_ITEMS.has(item.mark?.marktype) || item.mark.role !== "mark") return null;
  for (const board of boardsOf(figure, datum)) {
    const part = partOf(board, datum);
    if (!part) continue;
    const two = twoOf(board, datum, spec, view);
    if (two) return { board: board.id, ...part, row: two[0], other: two[1] };
    const said = MODEL_FIELDS.map((field) => datum[field]).find((name) => typeof name === "string");
    const row = board.models.includes(said) ? said : data.names[said];
    return { board: board.id, ...part, row: board.models.includes(row) ? row : "" };
  }
  return null;
}

/** A click on a mark opens its items; the pointer says where that is so. */
function watchMarks(figure, view, spec, opened) {
  const name = figure.dataset.figure;
  const place = figure.querySelector(".chart");
  view.addEventListener("click", (_, item) => {
    const found = itemsOf(name, item, spec, view);
    if (found) opened(found);
  });
  view.addEventListener("mouseover", (_, item) =>
    place.classList.toggle("opens", Boolean(itemsOf(name, item, spec, view))));
}
