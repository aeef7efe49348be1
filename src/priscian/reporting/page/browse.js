// The item browser: search, filters, order, pages.

const PAGE = 10;
const MARKS = { [WRONG]: ["✗", "wrong"], [RIGHT]: ["✓", "right"], [TIE]: ["=", "tied"] };
const VERDICTS = [["", "any"], ["right", "right"], ["wrong", "wrong"], ["tie", "tied"],
  ["beats", "right, another model wrong"], ["flipped", "flipped between models"], ["allwrong", "wrong by all models"]];
const OF_SEVERAL = ["beats", "flipped", "allwrong"];
const SORTS = [["", "as in the data"], ["low", "most wrong first"], ["high", "most right first"],
  ["close", "closest calls first"]];

class Browser {
  constructor(boards) {
    this.boards = boards;
    this.stores = new Map();
    this.form = document.getElementById("filters");
    this.page = 0;
    this.item = ""; // the item that a link names
    kept.push({ read: () => readFilters(this), restore: (address) => restoreFilters(this, address) });
    const fields = this.form.elements;
    fill(fields.board, boards.map((b) => [b.id, b.title]));
    fill(fields.sort, SORTS);
    this.form.querySelector('[name="board"]').closest("label").hidden = boards.length < 2;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    let waiting = 0;
    this.form.addEventListener("input", (event) => {
      const { name } = event.target;
      if (name === "board") this.setBoard(event.target.value);
      if (name === "class") this.fillSets();
      this.refresh();
      if (name !== "bits") {
        this.page = 0;
        this.item = "";
      }
      keep("items", name === "query" ? "replaceState" : "pushState");
      if (name === "bits") return;
      clearTimeout(waiting);
      waiting = setTimeout(() => this.show(), name === "query" ? 120 : 0);
    });
    document.getElementById("before").addEventListener("click", () => this.turn(-1));
    document.getElementById("after").addEventListener("click", () => this.turn(1));
    document.getElementById("save-items").addEventListener("click", () => this.save());
    document.getElementById("list").addEventListener("click", (event) => this.link(event));
    this.setBoard(boards[0].id);
  }

  /** What follows from the fields at once. */
  refresh() {
    const { verdict, other, bits } = this.form.elements;
    other.closest("label").hidden = verdict.value !== "beats";
    document.getElementById("list").classList.toggle("numbers", bits.checked);
  }

  get board() {
    return this.boards.find((b) => b.id === this.form.elements.board.value);
  }

  setBoard(id) {
    const fields = this.form.elements;
    fields.board.value = id;
    const { board } = this;
    this.form.querySelector(".level").textContent = board.level;
    this.form.querySelector(".unit").textContent = board.unit;
    const classes = [...Object.keys(board.classes), ...Object.keys(board.groups)].filter(Boolean);
    fill(fields.class, [["", "all"], ...classes.map((c) => [c, board.labels[c]])]);
    fields.class.closest("label").hidden = board.level === board.unit || Object.keys(board.classes).length < 2;
    fill(fields.model, board.models.map((m, k) => [String(k), m]));
    fill(fields.other, board.models.map((m, k) => [String(k), m]));
    if (board.models.length > 1) fields.other.value = "1";
    fill(fields.verdict, VERDICTS.filter(([v]) => board.models.length > 1 || !OF_SEVERAL.includes(v)));
    this.fillSets();
  }

  fillSets() {
    const { board } = this;
    const chosen = this.form.elements.class.value;
    const sets = chosen ? setsOf(board, chosen) : Object.values(board.classes).flat();
    fill(this.form.elements.set, [["", "all"], ...sets.map((s) => [s, board.labels[s] ?? s])]);
  }

  async store() {
    const { board } = this;
    if (!this.stores.has(board.id)) {
      const store = board.kind === "suites" ? new Suites(board) : new Pairs(board);
      this.stores.set(board.id, store.load().then(() => store));
    }
    return this.stores.get(board.id);
  }

  /** Show the items of a set, or of a class, for a model; those that another has wrong. */
  choose({ board, cls = "", set = "", row = "", other = "" }) {
    this.setBoard(board);
    const fields = this.form.elements;
    fields.class.value = cls;
    this.fillSets();
    fields.set.value = set;
    fields.query.value = "";
    fields.verdict.value = other ? "beats" : "";
    if (other) fields.other.value = String(this.board.models.indexOf(other));
    const model = this.board.models.indexOf(row);
    if (model >= 0) fields.model.value = String(model);
    this.page = 0;
    this.item = "";
    this.refresh();
    return this.show();
  }

  /** The numbers of the items that the filters leave, in order. */
  find(store) {
    const { query, class: cls, set, model, verdict, other, sort } = this.form.elements;
    const m = Number(model.value);
    const { state, delta } = store.answers[m];
    const words = query.value.trim().toLowerCase();
    const wanted = set.value ? [set.value] : cls.value ? setsOf(this.board, cls.value) : store.sets;
    const found = [];
    const against = store.answers[Number(other.value)]?.state;
    const passes = {
      "": () => true,
      right: (i) => state[i] === RIGHT,
      wrong: (i) => state[i] === WRONG,
      tie: (i) => state[i] === TIE,
      beats: (i) => state[i] === RIGHT && (against[i] === WRONG || against[i] === TIE),
      flipped: (i) => {
        const seen = store.answers.map((a) => a.state[i]).filter((s) => s !== ABSENT);
        return seen.includes(RIGHT) && seen.some((s) => s !== RIGHT);
      },
      allwrong: (i) => store.answers.every((a) => a.state[i] === WRONG || a.state[i] === TIE),
    }[verdict.value];
    const inside = new Set(wanted);
    store.sets.forEach((name, s) => {
      if (!inside.has(name)) return;
      for (let i = store.setAt[s]; i < store.setAt[s + 1]; i++)
        if (passes(i) && (!words || store.lower(i).includes(words))) found.push(i);
    });
    if (sort.value) {
      const key = { low: (i) => delta[i], high: (i) => -delta[i], close: (i) => Math.abs(delta[i]) }[sort.value];
      const there = found.filter((i) => state[i] !== ABSENT);
      return there.sort((a, b) => key(a) - key(b));
    }
    return found;
  }

  async show(focus = false) {
    const turn = (this.turns = (this.turns ?? 0) + 1);
    const { board } = this;
    const store = await this.store();
    const m = Number(this.form.elements.model.value);
    await store.loadTokens(m);
    if (turn !== this.turns) return;
    const { found, open } = findOpen(this, store);
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    this.page = Math.min(this.page, pages - 1);
    const shown = found.slice(this.page * PAGE, (this.page + 1) * PAGE);
    const what = board.kind === "suites" ? "items" : store.paired ? "pairs" : "sentences";
    const count = (n) => n.toLocaleString("en");
    const uncoloured = board.tokens && !board.tokens[m]
      ? ` The score store has no tokens of ${board.models[m]}: sentences are not shaded.` : "";
    document.getElementById("count").textContent =
      `${count(found.length)} of ${count(store.size)} ${what}.${uncoloured}`;
    document.getElementById("where").textContent = `Page ${count(this.page + 1)} of ${count(pages)}`;
    document.getElementById("before").disabled = this.page === 0;
    document.getElementById("after").disabled = this.page >= pages - 1;
    const draw = board.kind === "suites" ? drawSuiteItem : drawPair;
    const list = document.getElementById("list");
    list.replaceChildren(...shown.map((i) => draw(store, i, m)));
    list.dataset.board = board.id;
    document.getElementById("save-items").disabled = !found.length;
    this.summary(store, m);
    const current = open < 0 ? null : list.children[shown.indexOf(open)];
    current?.setAttribute("aria-current", "true");
    if (focus && current) goTo(current, "auto", "center");
  }

  /** A click on an item's link makes it the open one, and copies the link. */
  link(event) {
    const link = event.target.closest("a.link");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.item = link.dataset.item;
    for (const other of link.closest("ol").children) other.removeAttribute("aria-current");
    link.closest("li").setAttribute("aria-current", "true");
    keep("items");
    copyLink(link);
  }

  /** The items that the filters leave as a CSV file. */
  async save() {
    const store = await this.store();
    save(`${this.board.id}-items.csv`, new Blob([itemsCsv(store, this.find(store))], { type: "text/csv" }));
  }

  /** Above a suite's items: the suite as a whole. */
  summary(store, m) {
    const place = document.getElementById("summary");
    const set = this.form.elements.set.value;
    if (this.board.kind !== "suites" || !set || !store.sets.includes(set)) {
      place.replaceChildren();
      return;
    }
    place.replaceChildren(drawSuite(store, set, m));
  }

  turn(by) {
    this.page = Math.max(0, this.page + by);
    this.item = "";
    keep("items");
    this.show();
    document.getElementById("items").scrollIntoView();
  }
}

const setsOf = (board, name) => board.classes[name] ?? board.groups[name];

function fill(select, options) {
  select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
}

function legend(rows) {
  return make("p", { class: "legend" }, ...rows.map((row, c) =>
    make("span", {}, sample(c), row.condition)));
}

function drawChips(store, i, m, unit) {
  const { models } = store.board;
  const shown = shownModels(models, m);
  const chips = shown.map((k) => {
    const name = models[k];
    const { state, delta } = store.answers[k];
    if (state[i] === ABSENT) return make("span", { class: "chip absent" }, `${name}: not scored`);
    const [mark, word] = MARKS[state[i]];
    return make("span", { class: `chip ${word}${k === m ? " chosen" : ""}` },
      make("b", { "aria-hidden": "true" }, mark), make("span", { class: "sr" }, `${word}, `),
      ` ${name} `, make("span", { class: "delta" }, `${differenceShown(delta[i] * unit.scale)}${unit.name}`));
  });
  if (models.length > shown.length) chips.push(drawTally(store, i));
  return make("p", { class: "chips" }, ...chips);
}

/** What differences are shown in. */
const unitOf = ({ board, paired }) => (board.kind === "suites" ? { scale: 1, name: " bits" }
  : board.measure === "surprisal" && paired ? { scale: 1 / Math.LN2, name: " bits" } : { scale: 1, name: "" });

function drawPair(store, i, m) {
  const { board } = store;
  const set = store.sets[store.setOf(i)];
  const [good, bad] = store.sentences(i, m);
  return make("li", { class: "item" },
    make("p", { class: "where" }, `${board.labels[set] ?? set} `, make("span", {}, store.idOf(i)), " ", drawLink(store, i, m)),
    drawSentence(good, false), bad ? drawSentence(bad, true) : null,
    drawChips(store, i, m, unitOf(store)), drawPeople(store, i), drawBits(good, bad));
}

/** People's ratings of a pair, and which models come near enough to them: the ADC. */
function drawPeople(store, i) {
  const ratings = store.people?.ratings[i];
  if (!ratings) return null;
  const { delta, models } = store.people;
  const [good, bad] = ratings;
  const line = make("p", { class: "chips people" }, make("span", {},
    `People: ${good.toFixed(2)} and ${bad.toFixed(2)}, difference ${differenceShown(good - bad)}. ADC, δ = ${delta}:`));
  store.board.models.forEach((name, k) => {
    if (!isShown(name)) return;
    const found = models[k]?.[i];
    if (!found) return;
    const [own, met] = found;
    line.append(make("span", { class: `chip ${met ? "right" : "wrong"}` },
      make("b", { "aria-hidden": "true" }, met ? "✓" : "✗"), make("span", { class: "sr" }, met ? "met, " : "not met, "),
      ` ${name} `, make("span", { class: "delta" }, differenceShown(own))));
  });
  return line;
}

function drawSuiteItem(store, i, m) {
  const { board } = store;
  const set = store.sets[store.setOf(i)];
  const rows = store.item(i, m);
  return make("li", { class: "item suite" },
    make("p", { class: "where" }, `${board.labels[set] ?? set} `, make("span", {}, store.idOf(i)), " ", drawLink(store, i, m)),
    make("div", { class: "sides" }, drawRegions(store, i, rows),
      drawCurve(filled(rows), `${board.models[m]}: surprisal (bits) by region`, store.regionsOf(i))),
    drawChips(store, i, m, unitOf(store)));
}
