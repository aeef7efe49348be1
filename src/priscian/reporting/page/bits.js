// Numbers of an item that can be read without pointing at anything: bits, sums, differences.

/** Bits with all their stored digits, so that sums of what is shown agree with the verdict. */
const bitsShown = (bits) => bits.toFixed(2);

/** A difference; one that would round to nothing has a digit more. */
function differenceShown(value) {
  const size = Math.abs(value);
  const digits = size === 0 ? "0" : size < 0.005 ? size.toPrecision(1) : size.toFixed(2);
  return `${value > 0 ? "+" : value < 0 ? "−" : "±"}${digits}`;
}

const total = (parts) => sum(parts.filter((p) => p.bits !== null).map((p) => Math.round(100 * p.bits))) / 100;

/** Every token of both sentences with its bits, and where the difference lies; filled when opened. */
function drawBits(good, bad) {
  if (good.every((p) => p.bits === null)) return null;
  const box = make("details", { class: "bits" }, make("summary", {}, "Bits of each token"));
  box.addEventListener("toggle", () => {
    if (!box.open || box.childElementCount > 1) return;
    box.append(bitsTable(good, "acceptable"));
    if (bad) box.append(bitsTable(bad, "unacceptable"), whereItLies(good, bad));
  });
  return box;
}

function bitsTable(parts, name) {
  const cells = parts.filter((p) => p.bits !== null);
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `bits, ${name} sentence` },
    make("table", {},
      make("tr", {}, make("th", { scope: "row" }, name),
        ...cells.map((p) => make("td", { class: p.differs ? "differs" : null }, p.text.trim())), make("td", {}, "sum")),
      make("tr", {}, make("th", { scope: "row" }, "bits"),
        ...cells.map((p) => make("td", {}, bitsShown(p.bits))), make("td", {}, bitsShown(total(parts))))));
}

/** How much of the difference is in the words that differ. */
function whereItLies(good, bad) {
  const [here, there] = [good, bad].map((side) => total(side.filter((p) => p.differs)));
  const whole = total(bad) - total(good);
  return make("p", {},
    `Words that differ: ${bitsShown(here)} and ${bitsShown(there)} bits, difference ${differenceShown(there - here)}; ` +
    `other words: ${differenceShown(whole - (there - here))}; together ${differenceShown(whole)}.`);
}
