// Messages between the worker and the page, as in src/messages.js.

/** Joins a header and blobs. */
export function pack(header, blobs = []) {
  const text = new TextEncoder().encode(JSON.stringify(header));
  return new Blob([new Uint32Array([text.length]), text, ...blobs]);
}

/** The header and the bytes after it. */
export function unpack(buffer) {
  const end = 4 + new DataView(buffer).getUint32(0, true);
  return { header: JSON.parse(new TextDecoder().decode(buffer.slice(4, end))), bytes: buffer.slice(end) };
}
