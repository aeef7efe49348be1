// Figures, in the page's colours: those in view first, the rest when the browser is idle.

let vegaLoaded = null;
const drawn = new Map();
const turns = new Map(); // how often each figure was begun: only the last drawing stays
const whenIdle = (work) => (window.requestIdleCallback ?? setTimeout)(work);
const NARROW = 620, PAPER = 690, LEAST = 150;

function loadVega() {
  vegaLoaded ??= bytesOf("vega").then((bytes) => {
    const script = document.createElement("script");
    script.textContent = new TextDecoder().decode(bytes);
    document.head.append(script);
    root.dataset.vega = "yes";
  });
  return vegaLoaded;
}

/** A colour of the style sheet, as it is now. */
function colourOf(...names) {
  const probe = make("span", { class: "sr" });
  document.body.append(probe);
  const found = names.map((name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return found;
}

/** Colours and letters of the page, as a Vega configuration. */
function themed(narrow, panels = false) {
  const [ink, quiet, rule] = colourOf("--ink", "--quiet", "--rule");
  return {
    background: "transparent",
    font: getComputedStyle(root).getPropertyValue("--sans").trim(),
    view: { stroke: null },
    axis: { labelColor: quiet, titleColor: quiet, gridColor: rule, domainColor: rule, tickColor: rule,
      titleFontWeight: "normal", labelFlush: panels, labelLimit: 300, labelFontSize: 11, titleFontSize: 11 },
    legend: { labelColor: ink, titleColor: quiet, titleFontWeight: "normal", labelFontSize: 12,
      symbolBaseFillColor: quiet, symbolBaseStrokeColor: quiet,
      ...(narrow ? { orient: "bottom", direction: "vertical", columns: 1, labelLimit: 240 }
        : panels ? { orient: "top", direction: "horizontal", columns: 3 } : {}) },
    header: { labelColor: ink, titleColor: quiet, labelFontSize: 12, labelFontWeight: "normal" },
    title: { color: ink, subtitleColor: quiet, fontSize: 13, fontWeight: "normal", anchor: "start" },
    text: { color: ink },
    range: { category: colourOf(...data.palette.map((_, k) => `--s${k}`)) },
  };
}

const PRINTED = { background: "white", font: "system-ui, sans-serif", view: { stroke: null } };

function embed(place, chart, config) {
  return window.vegaEmbed(place, chart, {
    actions: false, renderer: "svg", ast: true, config, logLevel: 1, tooltip: { theme: "custom" },
  });
}

/** A chart of one's own: Vega writes into the rows that it draws. */
async function chartOf(name) {
  return structuredClone((await jsonOf("charts"))[name].chart);
}

/** Calls `change` on every part of a chart except its data. */
function walk(part, change) {
  if (!part || typeof part !== "object") return;
  change(part);
  for (const [key, value] of Object.entries(part)) if (key !== "data") walk(value, change);
}

/** The colours of models as the page shows them, light or dark. */
function recoloured(spec) {
  const shown = colourOf(...data.palette.map((_, k) => `--s${k}`), "--ink", "--quiet");
  const known = new Map(data.palette.map((hex, k) => [hex, shown[k]]));
  known.set(data.inks.people, shown.at(-2));
  for (const ink of data.inks.published) known.set(ink, shown.at(-1));
  const dark = isDark();
  const lighter = (hex) => (dark && /^#[0-9a-f]{6}$/.test(hex) ? `color-mix(in srgb, ${hex} 60%, white)` : hex);
  walk(spec, (part) => {
    if (part.field && Array.isArray(part.scale?.range) && data.fields.includes(part.field))
      part.scale.range = part.scale.range.map((hex) => known.get(hex) ?? (typeof hex === "string" ? lighter(hex) : hex));
  });
  return spec;
}

/** On a phone: names in several lines, panels below each other. */
function narrowed(spec) {
  walk(spec, (part) => {
    if (!part.field || !part.type) return;
    if (typeof part.title === "string") part.title = lines(part.title, 36);
    if (!part.axis || !["nominal", "ordinal"].includes(part.type)) return;
    part.axis = { ...part.axis, labelLimit: 0, labelFontSize: 10, labelLineHeight: 10, labelExpr: inLines(part.sort) };
  });
  if (spec.height?.step) spec.height = { step: Math.max(spec.height.step, 24) };
  if (spec.concat) spec.columns = 1;
  return spec;
}

/** A text in lines of about so many letters. */
function lines(text, most) {
  const found = [""];
  for (const word of String(text).split(/(?<=[\s_–-])/)) {
    if (found.at(-1) && found.at(-1).length + word.length > most) found.push("");
    found[found.length - 1] += word;
  }
  return found.map((line) => line.trimEnd());
}

/** A Vega expression that breaks long names into lines. */
function inLines(names) {
  const long = {};
  for (const name of Array.isArray(names) ? names : []) {
    const found = lines(name, 20);
    if (found.length > 1) long[name] = found;
  }
  return `(${JSON.stringify(long)})[datum.label] || datum.label`;
}

/** The same chart, narrower by so many pixels: fewer panels in a row, then smaller ones. */
function shrunk(chart, over, box) {
  if (chart.concat && (chart.columns ?? chart.concat.length) > 1)
    return { ...chart, columns: (chart.columns ?? chart.concat.length) - 1 };
  if ((chart.layer || chart.mark) && typeof chart.width === "number")
    return { ...chart, width: box - 4, autosize: { type: "fit-x", contains: "padding" } };
  if (chart.hconcat) {
    const { hconcat, ...rest } = chart;
    return { ...rest, vconcat: hconcat };
  }
  const panels = chart.vconcat ?? chart.concat;
  if (!panels) return null;
  const smaller = panels.map((p) => ({ ...p, width: Math.max(LEAST, (p.width ?? 300) - over - 4) }));
  if (smaller.every((p, k) => p.width === panels[k].width)) return null;
  return { ...chart, [chart.vconcat ? "vconcat" : "concat"]: smaller };
}

/** What is drawn of a figure in a box: its chart in the colours of the page, named for listeners. */
function prepared(figure, whole, box) {
  const { title: _, ...chart } = recoloured(whole);
  chart.description = figure.querySelector("h4").textContent;
  return box < NARROW ? narrowed(chart) : chart;
}

const widthOf = (place) => Number(place.querySelector("svg").getAttribute("width"));

async function drawFigure(figure, paper = 0) {
  const name = figure.dataset.figure;
  const turn = (turns.get(name) ?? 0) + 1;
  turns.set(name, turn);
  const whole = withChoices(name, picked(await chartOf(name)));
  await loadVega();
  if (turn !== turns.get(name)) return;
  if (!paper && root.dataset.printing) return; // what is on paper stays until the page is back
  const place = figure.querySelector(".chart");
  const box = paper || figure.querySelector(".scroll").clientWidth;
  let chart = prepared(figure, whole, box);
  if (isLanes(chart)) chart = shrunk(chart, 0, box) ?? chart;
  for (const old of drawn.get(name) ?? []) old.finalize();
  const leaves = paper ? leavesOf(chart) : [chart];
  const places = leaves.length > 1 ? leaves.map(() => make("div", { class: "leaf" })) : [place];
  if (leaves.length > 1) place.replaceChildren(...places);
  const results = [];
  for (const [k, leaf] of leaves.entries()) results.push(await fitted(places[k], leaf, box));
  drawn.set(name, results);
  for (const { view } of results) {
    watchMarks(figure, view, whole, openItems);
    watchChoices(name, whole, view);
  }
  if (!paper) fold(figure, place);
  figure.dataset.drawn = "yes";
}

/** Draw a chart, smaller and smaller until it and its legend fit the box. */
async function fitted(place, first, box) {
  let chart = first;
  const theme = themed(box < NARROW, Boolean(chart.concat ?? chart.vconcat));
  const draw = () => embed(place, structuredClone(chart), theme);
  let result = await draw();
  for (let tries = 0; tries < 4 && widthOf(place) > box; tries++) {
    const next = shrunk(chart, widthOf(place) - box, box);
    if (!next) break;
    chart = next;
    result.finalize();
    result = await draw();
  }
  if (!legendCut(place)) return result;
  result.finalize();
  theme.legend.columns = 1;
  walk(chart, (part) => {
    if (part.legend?.orient) part.legend = { ...part.legend, direction: "vertical", columns: 1 };
  });
  return draw();
}

/** Whether a legend sticks out of its chart. */
function legendCut(place) {
  const edge = place.querySelector("svg").getBoundingClientRect().right + 1;
  return [...place.querySelectorAll(".role-legend-label text")].some((text) => text.getBoundingClientRect().right > edge);
}

/** Draw a figure again, if it has been drawn. */
function redrawFigure(name) {
  const figure = document.getElementById(name);
  if (figure?.dataset.drawn) drawFigure(figure);
}

/** Names from top to bottom, numbers across: such a chart may be as wide as the page. */
function isLanes(chart) {
  if (!(chart.layer || chart.mark) || typeof chart.width !== "number") return false;
  const part = (chart.layer ?? [chart]).find((p) => p.encoding?.y?.field) ?? chart;
  return part.encoding?.x?.type === "quantitative" && ["nominal", "ordinal"].includes(part.encoding?.y?.type);
}

/** A very tall chart shows its beginning, and a button the rest. */
function fold(figure, place) {
  const most = figure.closest(".many") ? 640 : 1100;
  if (place.getBoundingClientRect().height < most || figure.querySelector("[data-unfold]")) return;
  const box = figure.querySelector(".scroll");
  box.classList.add("folded");
  const button = make("button", { type: "button", "data-unfold": true, "aria-expanded": "false" }, "Show all");
  button.addEventListener("click", () => {
    const folded = box.classList.toggle("folded");
    button.textContent = folded ? "Show all" : "Show less";
    button.setAttribute("aria-expanded", String(!folded));
  });
  figure.querySelector(".tools").prepend(button);
}

async function saveFigure(figure, kind) {
  const name = figure.dataset.figure;
  if (kind === "csv") {
    const { csv } = (await jsonOf("charts"))[name];
    return save(`${name}.csv`, new Blob([csv], { type: "text/csv" }));
  }
  await loadVega();
  const hidden = make("div", { class: "sr" });
  document.body.append(hidden);
  const { title: _, ...chart } = await chartOf(name);
  const result = await embed(hidden, chart, { ...PRINTED, range: { category: data.palette } });
  if (kind === "svg") save(`${name}.svg`, new Blob([await result.view.toSVG()], { type: "image/svg+xml" }));
  else {
    const canvas = await result.view.toCanvas(2);
    canvas.toBlob((blob) => save(`${name}.png`, blob));
  }
  result.finalize();
  hidden.remove();
}

function save(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function watchFigures(first) {
  const figures = [...document.querySelectorAll("figure[data-figure]")];
  const left = new Set(figures);
  const begin = (figure) => {
    watcher.unobserve(figure);
    return left.delete(figure) ? drawFigure(figure) : null;
  };
  const watcher = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) begin(target);
  }, { rootMargin: "300px" });
  for (const figure of figures) {
    watcher.observe(figure);
    figure.addEventListener("click", (event) => {
      const kind = event.target.closest("button[data-save]")?.dataset.save;
      if (kind) saveFigure(figure, kind);
    });
  }
  const drawRest = async () => {
    const [next] = left;
    if (!next) return;
    await begin(next);
    whenIdle(drawRest);
  };
  first.finally(() => whenIdle(drawRest));
  /** Those in view first. */
  return async () => {
    const again = figures.filter((figure) => figure.dataset.drawn);
    const far = (figure) => Math.abs(figure.getBoundingClientRect().top);
    for (const figure of again.sort((a, b) => far(a) - far(b))) {
      await drawFigure(figure);
      await new Promise(whenIdle);
    }
  };
}
