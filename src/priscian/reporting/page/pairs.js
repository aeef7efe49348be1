// Minimal pairs: sentences, answers and tokens, unpacked when they are first needed.

const WRONG = 0, RIGHT = 1, TIE = 2, ABSENT = 3, UNSCORED = 0xffffff;

/** A model's answers: the state of every item, and its difference, which is decoded when needed. */
class Answers {
  constructor(state, planes, step) {
    Object.assign(this, { state, planes, step });
  }

  get delta() {
    const n = this.state.length, { planes, step } = this;
    const found = new Float64Array(n);
    for (let i = 0; i < n; i++) found[i] = signed(planes[i] | (planes[n + i] << 8) | (planes[2 * n + i] << 16)) * step;
    Object.defineProperty(this, "delta", { value: found });
    return found;
  }
}

class Pairs {
  constructor(board) {
    this.board = board;
    this.tokens = board.models.map(() => null);
  }

  async load() {
    const { head, take } = await open(`${this.board.id}-texts`);
    const n = head.items;
    this.words = head.words;
    this.paired = head.paired;
    this.size = n;
    const lengths = take(n, 2);
    this.goodAt = starts(lengths);
    this.goodCodes = take(this.goodAt[n], 3);
    if (this.paired) {
      this.begins = take(n, 2);
      this.ends = take(n, 2);
      this.middleAt = starts(take(n, 2));
      this.middles = take(this.middleAt[n], 3);
    }
    this.sets = this.board.sets.map(([name]) => name);
    this.setAt = starts(this.board.sets.map(([, size]) => size));
    this.ids = head.ids;
    this.people = this.board.people ? await jsonOf(`${this.board.id}-people`) : null;
    const { head: { steps }, take: column } = await open(`${this.board.id}-answers`);
    const states = steps.map(() => column(n));
    this.answers = steps.map((step, m) => new Answers(states[m], column(3 * n), step));
  }

  /** The codes of an item's words, of the good sentence or the other. */
  codes(i, bad) {
    const good = this.goodCodes.subarray(this.goodAt[i], this.goodAt[i + 1]);
    if (!bad) return good;
    return [...good.subarray(0, this.begins[i]),
      ...this.middles.subarray(this.middleAt[i], this.middleAt[i + 1]),
      ...good.subarray(good.length - this.ends[i])];
  }

  text(i, bad) {
    const words = [];
    for (const code of this.codes(i, bad)) words.push(this.words[code]);
    return words.join(" ");
  }

  setOf(i) {
    let low = 0, high = this.sets.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.setAt[middle] <= i) low = middle;
      else high = middle;
    }
    return low;
  }

  idOf(i) {
    return this.ids ? this.ids[i] : String(i - this.setAt[this.setOf(i)]);
  }

  /** Both sentences in lower case, for searching. */
  lower(i) {
    this.lowered ??= new Array(this.size);
    return (this.lowered[i] ??=
      (this.paired ? `${this.text(i, false)}\n${this.text(i, true)}` : this.text(i, false))
        .toLowerCase());
  }

  async loadTokens(m) {
    if (!this.board.tokens[m] || this.tokens[m]) return;
    const { head, take } = await open(`${this.board.id}-tokens-${m}`);
    const later = take(this.words.length, 2);
    const at = starts(take(this.size, 2));
    this.tokens[m] = { ...head, later, at, levels: take(at[this.size], 3) };
  }

  /** Where the tokens of a text begin, in characters. */
  cuts(model, number, codes) {
    if (model.odd[number]) return model.odd[number];
    const found = [];
    let at = 0;
    codes.forEach((code, k) => {
      const word = this.words[code];
      const first = model.first[code] ?? (word ? [0] : []);
      for (const piece of k ? model.patterns[model.later[code]] : first) found.push(at + piece);
      at += [...word].length + 1;
    });
    return found;
  }

  /** The sentences of an item in pieces { text, bits, differs }, tokens where they are known. */
  sentences(i, m) {
    const sides = this.paired ? [false, true] : [false];
    const codes = sides.map((bad) => [...this.codes(i, bad)]);
    const chars = sides.map((bad) => [...this.text(i, bad)]);
    const model = this.tokens[m];
    const known = model && model.at[i + 1] > model.at[i] && this.answers[m].state[i] !== ABSENT;
    const cuts = known && codes.map((c, side) => this.cuts(model, sides.length * i + side, c));
    const levels = known && this.levels(model, i, cuts, chars);
    return sides.map((_, side) => {
      const differs = this.paired ? this.different(i, codes[side], chars[side], chars[1 - side]) : [0, 0];
      if (!levels) return pieces(chars[side], wordCuts(chars[side]), null, differs);
      return pieces(chars[side], cuts[side],
        levels[side].map((q) => (q === UNSCORED ? null : q * model.step)), differs);
    });
  }

  /** Stored levels of each sentence; a causal model's shared beginning is stored once. */
  levels(model, i, cuts, chars) {
    const own = model.levels.subarray(model.at[i], model.at[i + 1]);
    const good = [...own.subarray(0, cuts[0].length)];
    if (!this.paired) return [good];
    let shared = 0;
    if (model.causal) {
      const [a, b] = cuts;
      let alike = 0;
      while (alike < chars[0].length && chars[0][alike] === chars[1][alike]) alike++;
      while (shared + 1 < a.length && shared + 1 < b.length && a[shared] === b[shared] &&
        a[shared + 1] === b[shared + 1] && a[shared + 1] <= alike) shared++;
    }
    const bad = [...good.slice(0, shared), ...own.subarray(cuts[0].length)];
    return bad.length === cuts[1].length ? [good, bad] : null;
  }

  /** Characters between which a sentence differs from the other; shared final marks are left out. */
  different(i, codes, chars, other) {
    const length = (list) => list.reduce((n, code) => n + [...this.words[code]].length + 1, 0);
    const from = length(codes.slice(0, this.begins[i]));
    let to = length(codes.slice(0, codes.length - this.ends[i])) - 1;
    if (this.ends[i] === 0)
      for (let k = 1; to > from + 1 && chars.at(-k) === other.at(-k) && /[^\p{L}\p{N}]/u.test(chars.at(-k)); k++) to--;
    return [from, to];
  }
}

/** Words, where tokens are not known. */
function wordCuts(chars) {
  const found = [];
  chars.forEach((c, k) => {
    if (c !== " " && (k === 0 || chars[k - 1] === " ")) found.push(k);
  });
  return found;
}

function pieces(chars, cuts, bits, [from, to]) {
  const found = [];
  if (cuts.length && cuts[0] > 0) found.push({ text: chars.slice(0, cuts[0]).join(""), bits: null });
  cuts.forEach((cut, k) => {
    const text = chars.slice(cut, cuts[k + 1] ?? chars.length).join("");
    found.push({ text, bits: bits ? bits[k] : null, differs: cut >= from && cut < to });
  });
  if (!cuts.length) found.push({ text: chars.join(""), bits: null });
  return found;
}

/** A sentence; tokens can be pointed at and, with the keyboard, read as a title. */
function drawSentence(parts, star) {
  const line = make("p", { class: star ? "sentence bad" : "sentence" });
  if (star) line.append(make("span", { class: "star", title: "unacceptable" }, "*"));
  for (const part of parts) {
    const visible = part.text.trimEnd();
    const space = part.text.slice(visible.length);
    line.append(make("span", {
      class: [part.bits === null ? "" : "token", part.differs ? "differs" : ""].join(" ").trim() || null,
      "--s": part.bits === null ? null : Math.min(part.bits / 20, 1).toFixed(3),
      "data-bits": part.bits === null ? null : bitsShown(part.bits),
    }, visible), space);
  }
  return line;
}
