// Messages between the worker and the page: the length of a header in JSON (4 bytes, little endian), the header, and
// the bytes of its tensors, end to end. The page has the same two functions (page/messages.js).

/** Joins a header and blobs. */
export function pack(header, blobs = []) {
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, ...blobs]);
}

/** The header and the bytes after it. */
export function unpack(bytes) {
  const end = 4 + bytes.readUInt32LE(0);
  return { header: JSON.parse(bytes.subarray(4, end)), bytes: bytes.subarray(end) };
}

/** A tensor as an entry of a header, with its blob. Strings are in the entry. */
export function part(tensor) {
  const { type, dims, data } = tensor;
  if (type === "string") return { entry: { type, dims, strings: data }, blob: Buffer.alloc(0) };
  const blob = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return { entry: { type, dims, bytes: blob.length }, blob };
}
