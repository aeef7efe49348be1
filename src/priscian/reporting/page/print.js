// Printing: every chart is drawn for the paper's width, in light colours.

const LEAF = 820; // pixels of a page that are left for a chart between its heading and its caption

/** A chart with more rows than a page has room for, in parts of whole rows. */
function leavesOf(chart) {
  const layers = chart.layer ?? [chart];
  const y = [chart, ...layers].map((part) => part.encoding?.y).find((own) => own?.field && Array.isArray(own.sort));
  const height = typeof chart.height === "number" ? chart.height : (chart.height?.step ?? 0) * (y?.sort.length ?? 0);
  const count = Math.ceil(height / LEAF);
  if (!y || !chart.data?.values || !(count > 1)) return [chart];
  const domain = extent(chart, layers);
  const size = Math.ceil(y.sort.length / count);
  return Array.from({ length: count }, (_, k) => {
    const names = y.sort.slice(k * size, (k + 1) * size);
    const leaf = structuredClone(chart);
    leaf.data.values = leaf.data.values.filter((row) => names.includes(row[y.field]));
    if (typeof chart.height === "number") leaf.height = Math.round((chart.height * names.length) / y.sort.length);
    walk(leaf, (part) => {
      if (part.field === y.field && Array.isArray(part.sort)) part.sort = names;
      if (k && part.legend) part.legend = null;
      if (part.x?.type === "quantitative" && !part.x.scale?.domain && part.x.field) part.x.scale = { ...part.x.scale, domain };
    });
    return leaf;
  });
}

/** From the least to the greatest number that a chart shows across, so that its parts share a scale. */
function extent(chart, layers) {
  const fields = layers.flatMap(({ encoding }) => [encoding?.x?.field, encoding?.x2?.field]).filter(Boolean);
  const shown = chart.data.values.flatMap((row) => fields.map((field) => row[field])).filter((value) => typeof value === "number");
  return [Math.min(...shown), Math.max(...shown)];
}

/** A browser does not wait for what `beforeprint` starts, but it runs promises that need no event:
 * once Vega and the charts are unpacked, nothing else is waited for. */
function watchPrinting(first, redraw) {
  let theme = "", ready = false;
  first.finally(() => Promise.all([jsonOf("charts"), loadVega()]).then(() => (ready = true)));
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme ?? "";
    root.dataset.theme = "light";
    document.getElementById("unready").hidden = ready;
    if (!ready) return;
    root.dataset.printing = "yes";
    for (const figure of document.querySelectorAll("figure[data-figure]")) drawFigure(figure, PAPER);
  });
  addEventListener("afterprint", () => {
    delete root.dataset.printing;
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    redraw();
  });
}
