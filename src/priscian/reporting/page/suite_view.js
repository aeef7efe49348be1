// A suite as a whole: what it predicts, how often that holds, and mean surprisals by region.

const LETTERS = 13;
const inPercent = (share) => `${percent(share)} %`;

/** Formulas in words and symbols with their accuracies, and every model's means. */
function drawSuite(store, set, m) {
  const { board } = store;
  const about = store.about[set];
  const models = shownModels(board.models, m);
  return make("div", { class: "suite-view" },
    make("h3", {}, set, make("span", {}, ` chance ${inPercent(board.chances[set])}`)),
    ...about.formulas.map((formula, n) => drawFormula(formula, n, about.formulas.length, board, models)),
    make("h4", {}, "Mean surprisal by region", make("span", {}, " bits, with 95 % intervals of the mean over items")),
    make("div", { class: "means" }, ...models.map((k) =>
      drawCurve(store.means(set, k), board.models[k], about.regions, { width: 440, height: 200 }))),
    legend(store.means(set, m)),
    drawMeans(store, set, m));
}

function drawFormula(formula, number, count, board, models) {
  const [whole, ...parts] = formula.said;
  const head = { all: "all of these hold", any: "at least one of these holds" }[formula.joined];
  const rows = [[head && parts.length ? head : whole.words, whole], ...parts.map((part) => [part.words, part])];
  const title = count > 1 ? `Prediction ${number + 1} of ${count}` : "Prediction";
  const scored = count > 1 && board.predictions === "first" ? (number ? " not counted" : " counts for the score") : "";
  return make("div", {}, make("h4", {}, title, make("span", {}, scored)),
    make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${title}: accuracy` },
      make("table", { class: "plain formula" },
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "per cent of items"), make("th", { scope: "col" }, "chance"),
          ...models.map((k) => make("th", { scope: "col" }, board.models[k])))),
        make("tbody", {}, ...rows.map(([words, said], row) => make("tr", { class: row ? "part" : null },
          make("th", { scope: "row" }, words[0].toUpperCase() + words.slice(1), make("code", {}, said.symbols)),
          make("td", {}, percent(said.chance)),
          ...models.map((k) => drawScore(formula.models[k]?.[row], said.chance))))))));
}

/** An accuracy, its interval, and both on a line with chance. */
function drawScore(score, chance) {
  if (!score) return make("td", {}, "–");
  const [accuracy, low, high, n, ties] = score;
  if (2 * ties > n) return make("td", {}, ties === n ? "tied" : `${ties} of ${n} tied`);
  return make("td", {}, make("b", {}, percent(accuracy)), make("small", {}, ` ${percent(low)}–${percent(high)}`),
    make("span", { class: "bar", "aria-hidden": "true", "--v": 100 * accuracy, "--lo": 100 * low, "--hi": 100 * high, "--ch": 100 * chance },
      make("i", { class: "chance" }), make("i", { class: "range" }), make("i", { class: "dot" })),
    ties ? make("small", {}, `${ties} tied`) : null);
}

/** The means of one model as numbers, for those who cannot see the curve or want to copy them. */
function drawMeans(store, set, m) {
  const name = store.board.models[m];
  const cell = ([low, high], bits) => [bits.toFixed(2), make("small", {}, ` ${low.toFixed(2)}–${high.toFixed(2)}`)];
  return make("details", { class: "notes" }, make("summary", {}, `Means of ${name} as a table`),
    make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `means of ${name}` },
      make("table", { class: "plain" },
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "condition"),
          ...store.about[set].regions.map((region) => make("th", { scope: "col" }, region)))),
        make("tbody", {}, ...store.means(set, m).map((row) => make("tr", {}, make("th", { scope: "row" }, row.condition),
          ...row.bits.map((bits, r) => make("td", {}, ...(Number.isNaN(bits) ? ["–"] : cell(row.ranges[r], bits))))))))));
}

/** The rows of an item without the numbers of empty regions, which are no points of a curve. */
const filled = (rows) => rows.map((row) => ({ ...row, bits: row.bits.map((b, r) => (row.contents[r] ? b : NaN)) }));

const shortened = (name) => (name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name);

/** The surprisal curve: regions from left to right, one line for each condition. */
function drawCurve(rows, title, names, { width = 300, height = 150 } = {}) {
  const longest = Math.max(...names.map((name) => shortened(name).length));
  const left = 34, right = 12, top = 8, bottom = 14 + 2.6 * longest;
  const x = (r) => left + (names.length > 1 ? (r * (width - left - right)) / (names.length - 1) : 0);
  const tops = rows.flatMap((row) => row.bits.map((b, r) => row.ranges?.[r]?.[1] ?? b).filter((b) => !Number.isNaN(b)));
  const most = Math.max(5, ...tops);
  const y = (bits) => top + (1 - Math.max(0, bits) / most) * (height - top - bottom);
  const step = most > 40 ? 20 : most > 16 ? 10 : 5;
  const svg = make("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${title}: surprisal in bits by region` });
  for (let t = 0; t <= most; t += step)
    svg.append(make("line", { x1: left, x2: width - right, y1: y(t), y2: y(t), class: "grid" }),
      make("text", { x: left - 5, y: y(t) + 3, "text-anchor": "end" }, String(t)));
  names.forEach((name, r) => svg.append(make("text", {
    transform: `translate(${x(r) + 3} ${height - bottom + 12}) rotate(-32)`, "text-anchor": "end" }, shortened(name))));
  rows.forEach((row, c) => {
    const points = row.bits.map((b, r) => [x(r), y(b), b, r]).filter(([, , b]) => !Number.isNaN(b));
    for (const [px, , , r] of points)
      if (row.ranges) svg.append(make("path", { class: `range line${c % 8}`,
        d: `M${px.toFixed(1)} ${y(row.ranges[r][0]).toFixed(1)}V${y(row.ranges[r][1]).toFixed(1)}` }));
    svg.append(make("path", { class: `line${c % 8}`, "stroke-dasharray": DASHES[c % 8],
      d: points.map(([px, py], k) => `${k ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("") }));
    for (const [px, py, b, r] of points)
      svg.append(mark(c, px, py, make("title", {}, `${row.condition}, ${names[r]}: ${bitsShown(b)} bits`)));
  });
  return make("figure", { class: "mini" }, svg, make("figcaption", {}, title));
}
