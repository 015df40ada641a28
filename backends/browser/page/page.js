// The page: takes one message after another from the worker, runs onnxruntime-web, and answers.
import { pack, unpack } from "./messages.js";
import { elsewhere, placement } from "./placement.js";

const BUNDLES = { wasm: "ort.wasm.min.mjs", webgpu: "ort.webgpu.min.mjs" };
const WEBGPU = "WebGpuExecutionProvider";
const ARRAYS = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, bool: Uint8Array, int4: Uint8Array, uint4: Uint8Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
};
// y = -x for one float, as a file.
const TRIAL = Uint8Array.from(atob("CAgSADo2CgsKAXgSAXkiA05lZxIFdHJpYWxaDwoBeBIKCggIARIECgIIAWIPCgF5EgoKCAgBEgQKAggBQgQKABAN"), (byte) => byte.charCodeAt(0));
const QUIET = 4;
const VERBOSE = 0;
const sessions = new Map();
let [ort, settings, lost, last] = [null, null, "", 0];

// The worker has nothing to do with the console; only the lines of a load are kept.
let lines = [];
for (const method of ["log", "info", "warn", "error", "debug"]) {
  console[method] = (...words) => lines.push(words.join(" "));
}

/** Calls `work`; returns its result and its time by the clock of the page. */
async function measured(work) {
  const start = performance.now();
  const found = await work();
  return { found, nanoseconds: Math.round((performance.now() - start) * 1e6) };
}

function create(data, externalData, isStrict) {
  lines = [];
  const isGpu = settings.provider === "webgpu";
  return ort.InferenceSession.create(data, {
    executionProviders: [settings.provider],
    externalData,
    logSeverityLevel: isGpu ? VERBOSE : QUIET,
    extra: isStrict ? { session: { disable_cpu_ep_fallback: "1" } } : {},
  });
}

/** The failure for a model that loads only where other providers may run nodes; else the error itself. */
async function declined(error, data, externalData) {
  try {
    const session = await create(data, externalData, false);
    await session.release();
  } catch {
    return error;
  }
  const nodes = elsewhere(WEBGPU, placement(lines));
  return nodes ? { failed: "not_taken", message: nodes } : error;
}

/** A session on WebGPU, if it takes every node. */
async function strict(data, externalData) {
  const result = await measured(() => create(data, externalData, true)).catch((error) => error);
  if (result instanceof WebAssembly.RuntimeError) throw result;
  if (result instanceof Error) throw await declined(result, data, externalData);
  const nodes = elsewhere(WEBGPU, placement(lines));
  if (!nodes) return result;
  await result.found.release();
  throw { failed: "not_taken", message: nodes };
}

async function adapterWords() {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw { failed: "missing", message: "the browser has no adapter for WebGPU; adapter=software takes that of Chromium" };
  const { vendor, architecture, device, description } = adapter.info;
  return [vendor, architecture, device, description].filter(Boolean).join(" ");
}

/**
 * Opens a session that is never released: with its last session the runtime destroys the device and every shader that
 * it compiled. A device that is lost for another reason ends the page.
 */
async function keepDevice() {
  await create(TRIAL, [], false);
  const device = await ort.env.webgpu.device;
  device?.lost.then(({ message, reason }) => (lost ||= message || reason));
}

const CALLS = {
  async start(given) {
    settings = given;
    const adapter = settings.provider === "webgpu" ? await adapterWords() : "";
    ort = await import(`../runtime/${BUNDLES[settings.provider]}`);
    ort.env.wasm.wasmPaths = new URL("../runtime/", location.href).href;
    ort.env.wasm.numThreads = settings.threads;
    if (settings.provider === "webgpu") await keepDevice();
    return { version: ort.env.versions.web ?? ort.env.versions.common, adapter, isolated: self.crossOriginIsolated };
  },
  async load({ model, files }, bytes) {
    let at = model;
    const data = new Uint8Array(bytes, 0, model);
    const externalData = files.map(({ path, length }) => ({ path, data: new Uint8Array(bytes, at, (at += length, length)) }));
    const isStrict = settings.provider === "webgpu" && settings.fallback === "off";
    const { found, nanoseconds } = isStrict
      ? await strict(data, externalData)
      : await measured(() => create(data, externalData, false));
    const placed = placement(lines);
    const other = found.outputMetadata?.find(({ isTensor }) => !isTensor);
    if (other) {
      await found.release();
      throw { failed: "unsupported", message: `output \`${other.name}\`, which is not a tensor` };
    }
    sessions.set(++last, found);
    return { session: last, inputNames: found.inputNames, outputNames: found.outputNames, placement: placed, nanoseconds };
  },
  async run({ session, inputs }, bytes) {
    let at = 0;
    const tensor = ({ type, dims, strings, bytes: length }) => {
      const data = strings ?? new ARRAYS[type](bytes.slice(at, (at += length)));
      return new ort.Tensor(type, data, dims);
    };
    const feeds = Object.fromEntries(inputs.map((input) => [input.name, tensor(input)]));
    lines = [];
    const { found, nanoseconds } = await measured(() => sessions.get(session).run(feeds, { logSeverityLevel: QUIET }));
    const blobs = [];
    const outputs = Object.entries(found).map(([name, { type, dims, data }]) => {
      if (type === "string") return { name, type, dims, strings: data };
      blobs.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      return { name, type, dims, bytes: data.byteLength };
    });
    return { outputs, nanoseconds, blobs };
  },
  async release({ session }) {
    await sessions.get(session).release();
    sessions.delete(session);
    return {};
  },
};

/** Answers a message. A trap of WebAssembly and a lost device leave a runtime that cannot go on. */
async function answer({ call, ...fields }, bytes) {
  try {
    const found = await CALLS[call](fields, bytes);
    return lost ? { fatal: `the device of WebGPU was lost: ${lost}` } : found;
  } catch (error) {
    if (lost) return { fatal: `the device of WebGPU was lost: ${lost}` };
    if (error instanceof WebAssembly.RuntimeError) return { fatal: `WebAssembly trapped: ${error.message}` };
    return error.failed ? error : { failed: call === "load" ? "load" : "run", message: String(error?.message ?? error) };
  }
}

for (;;) {
  const { header, bytes } = unpack(await (await fetch("../next")).arrayBuffer());
  const { blobs = [], ...fields } = await answer(header, bytes);
  await fetch("../answer", { method: "POST", body: pack(fields, blobs) });
}
