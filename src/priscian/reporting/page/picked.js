// Charts without the models that the picker hides, and with the choices that the address keeps.

const choices = new Map(); // "figure.param" → value, where it is not the chart's own
const isHidden = (name) => typeof name === "string" && !isShown(data.names[name] ?? name);
const ROW_FIELDS = ["model", "checkpoint", "a", "b"];

/** A chart of the models that are shown: rows, scales, orders and choices without the others. */
function picked(spec) {
  if (!hiddenModels.size) return spec;
  for (const key of ["concat", "vconcat", "hconcat"])
    if (spec[key]) spec[key] = spec[key].map(picked).filter((panel) => panel.data?.values?.length !== 0);
  if (Array.isArray(spec.data?.values))
    spec.data.values = spec.data.values.filter((row) => !ROW_FIELDS.some((field) => isHidden(row[field])));
  lower(spec);
  walk(spec, (part) => {
    if (Array.isArray(part.sort)) part.sort = part.sort.filter((name) => !isHidden(name));
    if (Array.isArray(part.scale?.domain) && part.scale.domain.some(isHidden)) part.scale = scaleOf(part.scale);
  });
  for (const param of spec.params ?? []) {
    if (!param.bind?.options) continue;
    param.bind.options = param.bind.options.filter((name) => !isHidden(name));
    if (isHidden(param.value)) param.value = param.bind.options[param.name === "baseline" ? 0 : param.bind.options.length - 1];
  }
  return spec;
}

function scaleOf({ domain, range, ...rest }) {
  const stays = domain.map((name) => !isHidden(name));
  const filtered = { ...rest, domain: domain.filter((_, k) => stays[k]) };
  if (Array.isArray(range)) filtered.range = range.filter((_, k) => stays[k]);
  return filtered;
}

/** Fewer lanes need less height. */
function lower(spec) {
  if (typeof spec.height !== "number") return;
  let before = 0, after = 0;
  walk(spec, (part) => {
    if (!Array.isArray(part.yOffset?.sort)) return;
    before = part.yOffset.sort.length;
    after = part.yOffset.sort.filter((name) => !isHidden(name)).length;
  });
  if (before) spec.height = Math.max(60, Math.round((spec.height * (10 + 9 * after)) / (10 + 9 * before)));
}

/** A chart with the values that a reader has chosen in it. */
function withChoices(name, spec) {
  for (const param of spec.params ?? []) {
    const value = choices.get(`${name}.${param.name}`);
    if (value !== undefined && (param.bind?.options ?? [value]).includes(value)) param.value = value;
  }
  return spec;
}

/** Keep what is chosen in a chart. */
function watchChoices(name, spec, view) {
  for (const param of spec.params ?? [])
    view.addSignalListener(param.name, (_, value) => {
      const key = `${name}.${param.name}`;
      if ((choices.get(key) ?? param.value) === value) return;
      choices.set(key, value);
      keep(name);
    });
}

kept.push({
  read: () => [...choices],
  restore: (address) => {
    const before = new Map(choices);
    choices.clear();
    for (const [key, value] of address) if (/\.(chosen|baseline)$/.test(key)) choices.set(key, value);
    const changed = new Set([...before.keys(), ...choices.keys()].filter((key) => before.get(key) !== choices.get(key)));
    const figures = new Set([...changed].map((key) => key.slice(0, key.lastIndexOf("."))));
    for (const name of figures) redrawFigure(name);
  },
});
