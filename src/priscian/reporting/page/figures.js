// Figures, in the page's colours: those in view first, the rest when the browser is idle.

let vegaLoaded = null;
const drawn = new Map();
const whenIdle = (work) => (window.requestIdleCallback ?? setTimeout)(work);

function loadVega() {
  vegaLoaded ??= bytesOf("vega").then((bytes) => {
    const script = document.createElement("script");
    script.textContent = new TextDecoder().decode(bytes);
    document.head.append(script);
  });
  return vegaLoaded;
}

/** Colours and letters of the page, as a Vega configuration. */
function themed(narrow) {
  const probe = make("span", { class: "sr" });
  document.body.append(probe);
  const of = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const [ink, quiet, rule] = ["--ink", "--quiet", "--rule"].map(of);
  const series = Array.from({ length: 8 }, (_, k) => of(`--s${k}`));
  probe.remove();
  return {
    background: "transparent",
    font: getComputedStyle(document.documentElement).getPropertyValue("--sans").trim(),
    view: { stroke: null },
    axis: { labelColor: quiet, titleColor: quiet, gridColor: rule, domainColor: rule, tickColor: rule,
      titleFontWeight: "normal", labelLimit: narrow ? 110 : 300, labelFontSize: 11, titleFontSize: 11 },
    legend: { labelColor: ink, titleColor: quiet, titleFontWeight: "normal", labelFontSize: 12,
      symbolBaseFillColor: quiet, symbolBaseStrokeColor: quiet,
      ...(narrow ? { orient: "bottom", direction: "vertical", columns: 1, labelLimit: 240 } : {}) },
    header: { labelColor: ink, titleColor: quiet, labelFontSize: 12, labelFontWeight: "normal" },
    title: { color: ink, subtitleColor: quiet, fontSize: 13, fontWeight: "normal", anchor: "start" },
    text: { color: ink },
    range: { category: series },
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

/** On a phone: shorter names, panels below each other. */
function narrowed(spec) {
  const walk = (part) => {
    if (!part || typeof part !== "object") return;
    if (part.labelLimit > 130) part.labelLimit = 130;
    for (const [key, value] of Object.entries(part)) if (key !== "data") walk(value);
  };
  walk(spec);
  if (spec.concat) spec.columns = 1;
  return spec;
}

async function drawFigure(figure) {
  const name = figure.dataset.figure;
  const { title: _, ...whole } = await chartOf(name);
  await loadVega();
  const place = figure.querySelector(".chart");
  const box = figure.querySelector(".scroll").clientWidth;
  const narrow = box < 620;
  const chart = narrow ? narrowed(whole) : whole;
  drawn.get(name)?.finalize();
  let result = await embed(place, chart, themed(narrow));
  const { width: wide } = place.querySelector("svg").getBoundingClientRect();
  if ((wide > box || isLanes(chart)) && (chart.layer || chart.mark) && typeof chart.width === "number") {
    result.finalize();
    const fitted = { ...chart, width: box - 4, autosize: { type: "fit-x", contains: "padding" } };
    result = await embed(place, fitted, themed(narrow));
  }
  drawn.set(name, result);
  fold(figure, place);
  figure.dataset.drawn = "yes";
}

/** Names from top to bottom, numbers across: such a chart may be as wide as the page. */
function isLanes(chart) {
  const part = (chart.layer ?? [chart]).find((p) => p.encoding?.y?.field) ?? chart;
  return part.encoding?.x?.type === "quantitative" && ["nominal", "ordinal"].includes(part.encoding?.y?.type);
}

/** A very tall chart shows its beginning, and a button the rest. */
function fold(figure, place) {
  if (place.getBoundingClientRect().height < 1100 || figure.querySelector("[data-unfold]")) return;
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
  const result = await embed(hidden, await chartOf(name), PRINTED);
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

function watchFigures() {
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
  whenIdle(drawRest);
  return () => Promise.all(figures.filter((f) => f.dataset.drawn).map(drawFigure));
}
