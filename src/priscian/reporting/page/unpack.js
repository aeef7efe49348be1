// Blobs: base64, gzip, then a head of JSON and columns of bytes (priscian/reporting/pack.py).

const unpacked = new Map();

/** The page answers before its blobs have been read: they stand below this script. */
const pageRead = new Promise((done) => {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", done, { once: true });
  else done();
});

/** The bytes of a blob, unpacked once. */
function bytesOf(name) {
  if (!unpacked.has(name)) unpacked.set(name, inflate(name));
  return unpacked.get(name);
}

async function inflate(name) {
  await pageRead;
  const element = document.getElementById(`blob-${name}`);
  const packed = fromBase64(element.textContent);
  element.remove();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

const parsed = new Map();

/** The JSON of a blob, read once. */
function jsonOf(name) {
  if (!parsed.has(name)) parsed.set(name, bytesOf(name).then((b) => JSON.parse(new TextDecoder().decode(b))));
  return parsed.get(name);
}

/** A blob's head, and a reader of the columns that follow it. */
async function open(name) {
  const bytes = await bytesOf(name);
  const length = new DataView(bytes.buffer).getUint32(0, true);
  let at = 4 + length;
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, at)));
  const take = (count, size = 1) => {
    const planes = bytes.subarray(at, at + count * size);
    at += count * size;
    if (size === 1) return planes;
    const numbers = new Uint32Array(count);
    for (let k = 0; k < size; k++)
      for (let i = 0; i < count; i++) numbers[i] |= planes[k * count + i] << (8 * k);
    return numbers;
  };
  return { head, take };
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const signed = (number) => (number << 8) >> 8;

/** Where each of many lists begins that lie end to end. */
function starts(lengths) {
  const found = new Uint32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) found[i + 1] = found[i] + lengths[i];
  return found;
}

/** An element with attributes and children; text is only ever text. */
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "circle", "line", "text", "g", "title"].includes(tag);
  const element = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}
