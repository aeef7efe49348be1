// Suites: items as conditions × regions, with each model's surprisals.

class Suites {
  constructor(board) {
    this.board = board;
  }

  async load() {
    const { head, take } = await open(`${this.board.id}-texts`);
    this.contents = head.contents;
    this.suites = head.suites;
    this.sets = this.suites.map((s) => s.name);
    this.setAt = starts(this.suites.map((s) => s.items.length));
    this.cellAt = starts(this.suites.map((s) => s.items.length * s.conditions.length * s.regions));
    this.size = this.setAt[this.sets.length];
    const cells = this.cellAt[this.sets.length];
    this.codes = take(cells, 3);
    this.about = await jsonOf(`${this.board.id}-about`);
    this.answers = await Promise.all(this.board.models.map(async (_, m) => {
      const { head: { step, margin }, take: column } = await open(`${this.board.id}-bits-${m}`);
      const bits = Float64Array.from(column(cells, 3), (b) => (b === 0xffffff ? NaN : b * step));
      const state = column(this.size);
      const delta = Float64Array.from(column(this.size, 3), (d) => signed(d) * margin);
      return { bits, state, delta };
    }));
  }

  async loadTokens() {}

  setOf(i) {
    return Pairs.prototype.setOf.call(this, i);
  }

  idOf(i) {
    const s = this.setOf(i);
    return this.suites[s].items[i - this.setAt[s]];
  }

  /** Contents and bits of an item, by condition and region. */
  item(i, m) {
    const s = this.setOf(i);
    const suite = this.suites[s];
    const width = suite.regions;
    const from = this.cellAt[s] + (i - this.setAt[s]) * suite.conditions.length * width;
    return suite.conditions.map((condition, c) => {
      const at = from + c * width;
      return {
        condition,
        contents: Array.from({ length: width }, (_, r) => this.contents[this.codes[at + r]]),
        bits: [...this.answers[m].bits.subarray(at, at + width)],
      };
    });
  }

  lower(i) {
    this.lowered ??= new Array(this.size);
    return (this.lowered[i] ??= this.item(i, 0)
      .map((row) => row.contents.filter(Boolean).join(" ")).join("\n").toLowerCase());
  }

  /** What the regions of a suite are called. */
  regionsOf(i) {
    return this.about[this.sets[this.setOf(i)]].regions;
  }

  /** Mean surprisal of each region over the items of a suite, with intervals. */
  means(name, m) {
    const { conditions } = this.suites[this.sets.indexOf(name)];
    return this.about[name].means[m].map((cells, c) => ({
      condition: conditions[c],
      bits: cells.map((cell) => cell?.[0] ?? NaN),
      ranges: cells.map((cell) => cell?.slice(1) ?? null),
    }));
  }

  used(i, condition, region) {
    const { used } = this.suites[this.setOf(i)];
    return used.some(([c, r]) => c === condition && (r === "*" || Number(r) === region));
  }
}

/** Conditions as rows, regions as columns; those that the prediction looks at are framed. */
function drawRegions(suites, i, rows) {
  const head = make("tr", {}, make("th", { scope: "col" }, "condition"),
    ...suites.regionsOf(i).map((name) => make("th", { scope: "col" }, name)));
  const body = rows.map((row, c) =>
    make("tr", {}, make("th", { scope: "row" }, sample(c), row.condition),
      ...row.contents.map((content, r) => {
        const bits = row.bits[r];
        const known = !Number.isNaN(bits);
        const used = suites.used(i, row.condition, r + 1);
        return make("td", {
          class: [known && content ? "token" : "", used ? "used" : ""].join(" ").trim() || null,
          "--s": known ? Math.min(bits / 25, 1).toFixed(3) : null,
        }, make("span", {}, content || "·"), make("small", {}, known && content ? bitsShown(bits) : ""));
      })));
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "conditions by regions" },
    make("table", { class: "regions" }, make("thead", {}, head), make("tbody", {}, ...body)));
}

const DASHES = ["", "6 3", "2 2", "8 3 2 3", "10 4", "4 1", "1 3", "6 2 1 2"];

/** The line of a condition as in its curve: colour, dash and mark. */
function sample(c) {
  return make("svg", { class: `sample line${c % 8}`, viewBox: "0 0 26 10", width: 26, height: 10, "aria-hidden": "true" },
    make("path", { d: "M0 5H26", "stroke-dasharray": DASHES[c % 8] }), mark(c, 13, 5));
}

/** A mark that tells conditions apart without colour. */
function mark(c, x, y, ...children) {
  const r = 3;
  const shape = [
    `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
    `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    `M${x} ${y - r - 1}l${r + 0.6} ${2 * r}h${-2 * r - 1.2}z`,
    `M${x} ${y - r - 1}l${r + 1} ${r + 1}l${-r - 1} ${r + 1}l${-r - 1} ${-r - 1}z`,
  ][c % 4];
  return make("path", { class: `mark line${c % 8}`, d: shape }, ...children);
}
