// The worker over a pair of pipes: tensors keep their bits, every fault has its answer.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";

import { decode, encode } from "../src/tensors.js";

const MAGIC = Buffer.from("894f4e58570d0a1a", "hex");

function frame(header, payload = Buffer.alloc(0)) {
  const text = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(16);
  lengths.writeUInt32LE(1, 0);
  lengths.writeUInt32LE(text.length, 4);
  lengths.writeBigUInt64LE(BigInt(payload.length), 8);
  return Buffer.concat([MAGIC, lengths, text, payload]);
}

async function ask(bytes, args = ["onnxruntime-node"]) {
  const worker = spawn("node", [new URL("../worker.js", import.meta.url).pathname, ...args]);
  const parts = [];
  worker.stdout.on("data", (part) => parts.push(part));
  const code = new Promise((done) => worker.on("close", done));
  worker.stdin.end(bytes);
  const status = await code;
  const headers = [];
  for (let rest = Buffer.concat(parts); rest.length > 0; ) {
    const [header, payload] = [rest.readUInt32LE(12), Number(rest.readBigUInt64LE(16))];
    headers.push(JSON.parse(rest.subarray(24, 24 + header)));
    rest = rest.subarray(24 + header + payload);
  }
  return { headers, status };
}

// TensorProto by hand: dims (field 1), data_type (2), raw_data (9).
const ELEMENTS = [["float", 1, "0000c07f010080ff", 2], ["int8", 3, "ff7f", 2], ["int64", 7, "ffffffffffffff7f", 1]];
ELEMENTS.push(["bool", 9, "0100", 2], ["float16", 10, "017e", 1], ["double", 11, "0000000000000080", 1]);
ELEMENTS.push(["uint64", 13, "ffffffffffffffff", 1], ["uint4", 21, "2103", 3], ["int4", 22, "f107", 3]);
for (const [name, number, hex, count] of ELEMENTS) {
  test(`${name} keeps its bits`, () => {
    const raw = Buffer.from(hex, "hex");
    const blob = Buffer.concat([Buffer.from([8, count, 16, number, 0x4a, raw.length]), raw]);
    const { type, blob: back } = encode("", decode("x", `tensor(${name})`, blob));
    assert.equal(type, `tensor(${name})`);
    assert.ok(Buffer.from(back).includes(raw));
  });
}

test("strings and stored numbers are read", () => {
  const text = decode("x", "tensor(string)", Buffer.from([8, 1, 16, 8, 0x32, 2, 0xc3, 0xbc]));
  assert.deepEqual(text.data, ["ü"]);
  const stored = decode("x", "tensor(int32)", Buffer.from([8, 2, 16, 6, 0x2a, 2, 5, 7]));
  assert.deepEqual([...stored.data], [5, 7]);
});

for (const [blob, expected] of [
  [[8, 3, 16, 1, 0x4a, 4, 0, 0, 0, 0], /the elements do not match the shape/],
  [[8, 1, 16, 7, 0x4a, 4, 0, 0, 0, 0], /element type 7/],
  [[0xff], /not a TensorProto/],
]) {
  test(`an invalid tensor: ${expected}`, () => {
    assert.throws(() => decode("x", "tensor(float)", Buffer.from(blob)), expected);
  });
}

test("requests and faults have their answers", async () => {
  const requests = [
    { request: "hello", versions: [1] },
    { request: "capabilities" },
    { request: "dance" },
    { request: "run", session: 7, inputs: [] },
    { request: "load", model: 5 },
    { request: "load", model: 0 },
    { request: "shutdown" },
  ];
  const { headers, status } = await ask(Buffer.concat(requests.map((request, id) => frame({ id, ...request }))));
  const seen = headers.map(({ id, answer, reason, error }) => [id, answer, reason ?? error?.kind]);
  assert.deepEqual(seen, [
    [0, "hello", undefined],
    [1, "capabilities", undefined],
    [2, "refused", "unknown_message"],
    [3, "refused", "unknown_session"],
    [4, "refused", "malformed"],
    [5, "failed", "load"],
    [6, "bye", undefined],
  ]);
  assert.equal(status, 0);
});

test("an invalid option is the answer to every request", async () => {
  const { headers } = await ask(frame({ id: 1, request: "hello", versions: [1] }), ["onnxruntime-node", "--opt", "a=1"]);
  assert.equal(headers[0].error.kind, "option");
});

test("an input that the model does not have is an error", async () => {
  // A ModelProto by hand: ir_version 8, opset 13, y = Identity(x) of floats.
  const bytes = (number, part) => Buffer.concat([Buffer.from([(number << 3) | 2, part.length]), part]);
  const text = (number, part) => bytes(number, Buffer.from(part));
  const float = bytes(2, bytes(1, Buffer.concat([Buffer.from([8, 1]), bytes(2, bytes(1, Buffer.from([8, 1])))])));
  const info = (name) => Buffer.concat([text(1, name), float]);
  const node = Buffer.concat([text(1, "x"), text(2, "y"), text(4, "Identity")]);
  const graph = Buffer.concat([bytes(1, node), text(2, "g"), bytes(11, info("x")), bytes(12, info("y"))]);
  const opset = Buffer.concat([text(1, ""), Buffer.from([16, 13])]);
  const model = Buffer.concat([Buffer.from([8, 8]), bytes(7, graph), bytes(8, opset)]);
  const one = Buffer.from([8, 1, 16, 1, 0x4a, 4, 0, 0, 0x80, 0x3f]);
  const input = (name) => ({ name, type: "tensor(float)", bytes: one.length });
  const { headers } = await ask(
    Buffer.concat([
      frame({ id: 0, request: "load", model: model.length }, model),
      frame({ id: 1, request: "run", session: 1, inputs: [input("x")] }, one),
      frame({ id: 2, request: "run", session: 1, inputs: [input("x"), input("z")] }, Buffer.concat([one, one])),
    ]),
  );
  assert.deepEqual(headers.slice(0, 2).map(({ answer }) => answer), ["loaded", "ran"]);
  assert.deepEqual(headers[2].error, { kind: "run", message: "the model has no input `z`" });
});

test("a worker whose parent is gone ends", { timeout: 60000 }, async () => {
  // The shell ends at once; `sleep` keeps the channel of the worker open.
  const path = new URL("../worker.js", import.meta.url).pathname;
  const shell = spawn("sh", ["-c", `sleep 16 | node ${path} onnxruntime-node 1>&2 & sleep 2; echo $!`]);
  const id = Number(String(await new Promise((done) => shell.stdout.once("data", done))).trim());
  const alive = () => {
    try {
      return process.kill(id, 0);
    } catch {
      return false;
    }
  };
  assert.ok(alive());
  const began = Date.now();
  while (alive() && Date.now() - began < 30000) await new Promise((done) => setTimeout(done, 200));
  assert.ok(!alive());
});

test("an invalid frame ends the worker", async () => {
  assert.notEqual((await ask(Buffer.from("What is this? It is not a frame."))).status, 0);
});
