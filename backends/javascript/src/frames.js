// Frames on two file descriptors (docs/protocol.md, "Channel" and "Frames").
import { fstatSync, readSync, writeSync } from "node:fs";

const MAGIC = Buffer.from([0x89, 0x4f, 0x4e, 0x58, 0x57, 0x0d, 0x0a, 0x1a]);
const [LAYOUT, MAX_HEADER, MAX_PAYLOAD, CHUNK] = [1, 2 ** 20, 2 ** 31, 2 ** 20];

/** Opens the descriptors for requests and answers. Printed output goes to stderr. */
export function openChannel() {
  const names = [process.env.ONNX_CONFORMANCE_FD_IN, process.env.ONNX_CONFORMANCE_FD_OUT];
  process.stdout.write = process.stderr.write.bind(process.stderr);
  if (names.includes(undefined)) return { source: 0, sink: 1 };
  const [source, sink] = names.map(Number);
  for (const descriptor of [source, sink]) {
    const stat = fstatSync(descriptor);
    if (descriptor < 3 || !(stat.isFIFO() || stat.isSocket())) throw new Error(`${descriptor} is not a pipe`);
  }
  return { source, sink };
}

const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Repeats a call while its pipe is full or empty: Node makes the pipe of stdout one that does not block. */
function blocking(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(CELL, 0, 0, 1);
    }
  }
}

/** Reads exactly `count` bytes; memory grows with the bytes received. `null` at the end of the channel, if it may end here. */
function read(source, count, mayEnd = false) {
  const parts = [];
  for (let missing = count; missing > 0; ) {
    const part = Buffer.allocUnsafe(Math.min(missing, CHUNK));
    const got = blocking(() => readSync(source, part));
    if (got === 0 && mayEnd && missing === count) return null;
    if (got === 0) throw new Error(`truncated frame: the channel ended ${missing} bytes too early`);
    parts.push(part.subarray(0, got));
    missing -= got;
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

/** Reads the next header and payload, or `null` at the end of the channel. */
export function readFrame(source) {
  const prelude = read(source, 24, true);
  if (prelude === null) return null;
  if (!prelude.subarray(0, 8).equals(MAGIC)) throw new Error(`not a frame: it starts with ${prelude.subarray(0, 8)}`);
  const [layout, header, payload] = [prelude.readUInt32LE(8), prelude.readUInt32LE(12), prelude.readBigUInt64LE(16)];
  if (layout !== LAYOUT || header > MAX_HEADER || payload > MAX_PAYLOAD) {
    throw new Error(`a frame of layout ${layout} with ${header} and ${payload} bytes is not allowed`);
  }
  return { header: JSON.parse(read(source, header)), payload: read(source, Number(payload)) };
}

/** Writes a frame whose payload is the concatenated blobs. Returns false and writes nothing if it is too long. */
export function writeFrame(sink, header, blobs) {
  const text = Buffer.from(JSON.stringify(header));
  const length = blobs.reduce((sum, blob) => sum + blob.length, 0);
  if (text.length > MAX_HEADER || length > MAX_PAYLOAD) return false;
  const prelude = Buffer.alloc(24);
  MAGIC.copy(prelude);
  prelude.writeUInt32LE(LAYOUT, 8);
  prelude.writeUInt32LE(text.length, 12);
  prelude.writeBigUInt64LE(BigInt(length), 16);
  for (const part of [Buffer.concat([prelude, text]), ...blobs]) {
    for (let at = 0; at < part.length; ) at += blocking(() => writeSync(sink, part, at));
  }
  return true;
}
