// The worker in a real browser: answers, models that WebGPU does not take, and the end of a tab.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { test } from "node:test";

const WORKER = new URL("../worker.js", import.meta.url).pathname;
const MAGIC = Buffer.from("894f4e58570d0a1a", "hex");
const there = spawnSync("sh", ["-c", "command -v chromium chromium-browser google-chrome"]).stdout.length > 0;
const skip = there ? false : "there is no Chromium in PATH";

function frame(header, payload = Buffer.alloc(0)) {
  const text = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(16);
  lengths.writeUInt32LE(1, 0);
  lengths.writeUInt32LE(text.length, 4);
  lengths.writeBigUInt64LE(BigInt(payload.length), 8);
  return Buffer.concat([MAGIC, lengths, text, payload]);
}

/** Sends the frames and collects the headers and payloads of the answers. */
async function ask(args, frames) {
  const worker = spawn("node", [WORKER, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const [parts, said] = [[], []];
  worker.stdout.on("data", (part) => parts.push(part));
  worker.stderr.on("data", (part) => said.push(part));
  const code = new Promise((done) => worker.on("close", done));
  worker.stdin.end(Buffer.concat(frames));
  const status = await code;
  const answers = [];
  for (let rest = Buffer.concat(parts); rest.length > 0; ) {
    const [header, payload] = [rest.readUInt32LE(12), Number(rest.readBigUInt64LE(16))];
    const end = 24 + header + payload;
    answers.push({ ...JSON.parse(rest.subarray(24, 24 + header)), payload: rest.subarray(24 + header, end) });
    rest = rest.subarray(end);
  }
  return { answers, status, stderr: Buffer.concat(said).toString() };
}

// Parts of a ModelProto by hand: a field of bytes, a field of text.
const bytes = (number, part) => Buffer.concat([Buffer.from([(number << 3) | 2, part.length]), part]);
const text = (number, part) => bytes(number, Buffer.from(part));
const shape = bytes(2, bytes(1, Buffer.from([8, 2])));
const info = (name) => Buffer.concat([text(1, name), bytes(2, bytes(1, Buffer.concat([Buffer.from([8, 1]), shape])))]);
const node = ([operator, input, output]) => bytes(1, Buffer.concat([text(1, input), text(2, output), text(4, operator)]));
const WEIGHT = bytes(5, Buffer.concat([Buffer.from([8, 2, 16, 1]), text(8, "w"), bytes(9, Buffer.alloc(8, 1))]));

/** A model of opset 13 with nodes of one input and output, from x (or a constant w) to y: two floats. */
function model(nodes, extra = bytes(11, info("x"))) {
  const graph = Buffer.concat([...nodes.map(node), text(2, "g"), extra, bytes(12, info("y"))]);
  const opset = Buffer.concat([text(1, ""), Buffer.from([16, 13])]);
  const length = Buffer.from([graph.length & 0x7f | 0x80, graph.length >> 7]);
  return Buffer.concat([Buffer.from([8, 8, (7 << 3) | 2]), length, graph, bytes(8, opset)]);
}

const load = (id, proto) => frame({ id, request: "load", model: proto.length }, proto);
// [-1, 2] as a TensorProto.
const VALUE = Buffer.concat([Buffer.from([8, 2, 16, 1, 0x4a, 8]), Buffer.from(Float32Array.of(-1, 2).buffer)]);
const run = (id, session) =>
  frame({ id, request: "run", session, inputs: [{ name: "x", type: "tensor(float)", bytes: VALUE.length }] }, VALUE);

for (const args of [["wasm"], ["wasm", "--opt", "threads=2"], ["webgpu", "--opt", "adapter=software"]]) {
  test(`${args.join(" ")}: a model runs`, { skip, timeout: 120000 }, async () => {
    const { answers, status } = await ask(args, [
      frame({ id: 0, request: "hello", versions: [1] }),
      load(1, model([["Abs", "x", "y"]])),
      run(2, 1),
      frame({ id: 3, request: "unload", session: 1 }),
      frame({ id: 4, request: "shutdown" }),
    ]);
    assert.deepEqual(answers.map(({ answer }) => answer), ["hello", "loaded", "ran", "unloaded", "bye"]);
    assert.match(answers[0].backend.build, /^Chromium \d/);
    assert.ok(answers[2].payload.includes(Buffer.from(Float32Array.of(1, 2).buffer)));
    assert.ok(answers[2].nanoseconds > 0);
    assert.equal(status, 0);
  });
}

test("what WebGPU does not take whole is no answer", { skip, timeout: 120000 }, async () => {
  const [none, part] = [[["Hardmax", "x", "y"]], [["Abs", "x", "t"], ["Hardmax", "t", "y"]]];
  const models = [model(none), model(part), model([["Abs", "w", "y"]], WEIGHT), model([["Nonsense", "x", "y"]])];
  const frames = models.map((proto, id) => load(id, proto));
  const { answers } = await ask(["webgpu", "--opt", "adapter=software"], frames);
  assert.deepEqual(answers.map(({ error }) => error.kind), ["not_taken", "not_taken", "not_taken", "load"]);
  assert.match(answers[1].error.message, /Hardmax\) on CPUExecutionProvider/);
  const allowed = await ask(["webgpu", "--opt", "adapter=software", "--opt", "fallback=on"], [
    load(0, models[1]),
    frame({ id: 1, request: "placement", session: 1 }),
  ]);
  assert.equal(allowed.answers[0].answer, "loaded");
  const providers = new Set(allowed.answers[1].placement.map(({ provider }) => provider));
  assert.deepEqual([...providers].sort(), ["CPUExecutionProvider", "WebGpuExecutionProvider"]);
});

for (const [args, kind] of [[["opengl"], "missing"], [["wasm", "--opt", "adapter=software"], "option"], [["wasm", "--opt", "browser=/none"], "missing"]]) {
  test(`${args.join(" ")} is an error of the kind ${kind}`, async () => {
    const { answers } = await ask(args, [frame({ id: 1, request: "hello", versions: [1] })]);
    assert.equal(answers[0].error.kind, kind);
  });
}

test("a browser that ends is a crash of the worker", { skip, timeout: 120000 }, async () => {
  const worker = spawn("node", [WORKER, "wasm"], { stdio: ["pipe", "pipe", "pipe"] });
  const said = [];
  worker.stderr.on("data", (part) => said.push(part));
  const code = new Promise((done) => worker.on("close", done));
  worker.stdin.write(frame({ id: 0, request: "hello", versions: [1] }));
  await new Promise((done) => worker.stdout.once("data", done));
  const children = spawnSync("ps", ["-o", "pid=", "--ppid", `${worker.pid}`]).stdout.toString().trim().split(/\s+/);
  children.forEach((id) => process.kill(Number(id), "SIGKILL"));
  worker.stdin.write(load(1, model([["Abs", "x", "y"]])));
  assert.equal(await code, 1);
  assert.match(Buffer.concat(said).toString(), /the browser ended/);
});
