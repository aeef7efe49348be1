// Printing: every chart is drawn for the paper's width, in light colours.

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
