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

  /** Mean surprisal of each region over the items of a suite. */
  means(name, m) {
    const s = this.sets.indexOf(name);
    const rows = this.item(this.setAt[s], m).map((row) => ({ ...row, bits: row.bits.map(() => 0) }));
    const counts = rows.map((row) => row.bits.map(() => 0));
    for (let i = this.setAt[s]; i < this.setAt[s + 1]; i++)
      this.item(i, m).forEach((row, c) => row.bits.forEach((bits, r) => {
        if (Number.isNaN(bits)) return;
        rows[c].bits[r] += bits;
        counts[c][r]++;
      }));
    rows.forEach((row, c) => row.bits.forEach((total, r) => {
      row.bits[r] = counts[c][r] ? total / counts[c][r] : NaN;
    }));
    return rows;
  }

  used(i, condition, region) {
    const { used } = this.suites[this.setOf(i)];
    return used.some(([c, r]) => c === condition && (r === "*" || Number(r) === region));
  }
}

/** Conditions as rows, regions as columns; those that the prediction looks at are framed. */
function drawRegions(suites, i, rows) {
  const regions = rows[0].contents.length;
  const head = make("tr", {}, make("th", { scope: "col" }, "condition"),
    ...Array.from({ length: regions }, (_, r) => make("th", { scope: "col" }, String(r + 1))));
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

/** The surprisal curve: regions from left to right, a line a condition. */
function drawCurve(rows, title) {
  const regions = rows[0].bits.length;
  const width = 300, height = 130, left = 30, bottom = 18, top = 8, right = 8;
  const most = Math.max(5, ...rows.flatMap((row) => row.bits.filter((b) => !Number.isNaN(b))));
  const x = (r) => left + (regions > 1 ? (r * (width - left - right)) / (regions - 1) : 0);
  const y = (bits) => top + (1 - bits / most) * (height - top - bottom);
  const step = most > 40 ? 20 : most > 16 ? 10 : 5;
  const ticks = [];
  for (let t = 0; t <= most; t += step) ticks.push(t);
  const svg = make("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  for (const t of ticks)
    svg.append(make("line", { x1: left, x2: width - right, y1: y(t), y2: y(t), class: "grid" }),
      make("text", { x: left - 5, y: y(t) + 3, "text-anchor": "end" }, String(t)));
  for (let r = 0; r < regions; r++)
    svg.append(make("text", { x: x(r), y: height - 4, "text-anchor": "middle" }, String(r + 1)));
  rows.forEach((row, c) => {
    const points = row.bits.map((b, r) => [x(r), y(b), b, r]).filter(([, , b]) => !Number.isNaN(b));
    svg.append(make("path", {
      class: `line${c % 8}`, "stroke-dasharray": DASHES[c % 8], d: points.map(([px, py], k) => `${k ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join(""),
    }));
    for (const [px, py, b, r] of points)
      svg.append(mark(c, px, py, make("title", {}, `${row.condition}, region ${r + 1}: ${bitsShown(b)} bits`)));
  });
  return make("figure", { class: "mini" }, svg, make("figcaption", {}, title));
}
