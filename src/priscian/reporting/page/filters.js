// What is chosen in the browser of items, to and from the address.

/** What is chosen, as the address keeps it. */
function readFilters({ boards, board, form, page, item }) {
  const { class: cls, set, model, verdict, other, query, sort, bits } = form.elements;
  const chosen = {
    data: board === boards[0] && !item ? "" : board.id,
    class: cls.value,
    set: set.value,
    model: model.value === "0" && !item ? "" : board.models[model.value],
    answer: verdict.value,
    other: verdict.value === "beats" ? board.models[other.value] : "",
    words: query.value.trim(),
    order: sort.value,
    page: page && !item ? String(page + 1) : "",
    bits: bits.checked ? "yes" : "",
    item,
  };
  return Object.entries(chosen).filter(([, value]) => value);
}

/** Choose what an address says; what it does not mention is as on a fresh page. */
function restoreFilters(browser, address) {
  const said = (key) => address.get(key) ?? "";
  const fields = browser.form.elements;
  const board = browser.boards.find((b) => b.id === said("data")) ?? browser.boards[0];
  const model = (key) => String(Math.max(0, board.models.indexOf(said(key))));
  browser.setBoard(board.id);
  pick(fields.class, said("class"));
  browser.fillSets();
  pick(fields.set, said("set"));
  pick(fields.model, model("model"));
  pick(fields.verdict, said("answer"));
  if (said("other")) pick(fields.other, model("other"));
  pick(fields.sort, said("order"));
  fields.query.value = said("words");
  fields.bits.checked = Boolean(said("bits"));
  browser.page = Math.max(0, (Number.parseInt(said("page"), 10) || 1) - 1);
  browser.item = said("item");
  browser.refresh();
}

/** Choose an option if there is one of that value. */
function pick(select, value) {
  if ([...select.options].some((option) => option.value === value)) select.value = value;
}

/** The items that the filters leave, and among them the one that a link names (else −1). */
function findOpen(browser, store) {
  const found = browser.find(store);
  const open = browser.item ? itemNamed(store, browser.item) : -1;
  if (open < 0) browser.item = "";
  if (open < 0) return { found, open };
  if (found.includes(open)) return onPage(browser, found, open);
  const fields = browser.form.elements; // a filter that hides the item gives way
  for (const name of ["query", "verdict", "class", "sort"]) fields[name].value = "";
  browser.fillSets();
  fields.set.value = store.sets[store.setOf(open)];
  browser.refresh();
  return onPage(browser, browser.find(store), open);
}

function onPage(browser, found, open) {
  browser.page = Math.floor(found.indexOf(open) / PAGE);
  return { found, open };
}
