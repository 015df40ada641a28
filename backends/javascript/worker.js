// A worker over ONNX Runtime's JavaScript interface: `worker.js onnxruntime-node` or `worker.js onnxruntime-web`.
import { failed, refused } from "./src/errors.js";
import { openChannel, readFrame, writeFrame } from "./src/frames.js";
import { endWithParent } from "./src/orphan.js";
import { decode, encode } from "./src/tensors.js";

const MAX_RUNS = 40000;
const PROVIDERS = { "onnxruntime-node": "cpu", "onnxruntime-web": "wasm" };
const [PACKAGE, ...OPTIONS] = process.argv.slice(2);
const { source, sink } = openChannel();
endWithParent();
const provider = PROVIDERS[PACKAGE];
const ort = provider && (await import(PACKAGE));
const threads = readThreads(OPTIONS);
const sessions = new Map();
let last = 0;
let payload;

/** Parses the only option, `threads`. Returns the answer to every request if the arguments are invalid. */
function readThreads(options) {
  if (!provider) return failed("missing", `unknown package ${PACKAGE}; known: ${Object.keys(PROVIDERS).join(", ")}`);
  const [flag = "--opt", pair = "threads=1", ...more] = options;
  const [key, value] = pair.split("=");
  const known = flag === "--opt" && key === "threads" && /^[1-9]\d{0,2}$/.test(value) && more.length === 0;
  return known ? Number(value) : failed("option", "unknown or invalid option; known: threads, a number", { option: key });
}

/** Takes the next bytes of the payload. */
function take(what, bytes) {
  if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > payload.length) {
    throw refused("malformed", `\`${what}\` has ${bytes} bytes in the header, but the payload has ${payload.length} left`);
  }
  const taken = payload.subarray(0, bytes);
  payload = payload.subarray(bytes);
  return taken;
}

function finish() {
  if (payload.length) throw refused("malformed", `${payload.length} bytes of the payload are not in the header`);
}

/** Decodes the tensors that the header describes. */
function tensors(entries) {
  if (!Array.isArray(entries)) throw refused("malformed", "the values are not a list");
  const read = ({ name, type, bytes }) => [name, decode(ort.Tensor, name, type, take(name, bytes))];
  return Object.fromEntries(entries.map(read));
}

function loaded(number) {
  if (!sessions.has(number)) throw refused("unknown_session", `session ${number} is not loaded`);
  return sessions.get(number);
}

/** The runtime ignores an input that the model does not have. */
function checkNames(session, sets) {
  for (const name of sets.flatMap((set) => Object.keys(set))) {
    if (!session.inputNames.includes(name)) throw failed("run", `the model has no input \`${name}\``);
  }
}

/** Calls `work`; returns its result and its time. */
async function measured(work) {
  const start = process.hrtime.bigint();
  const found = await work();
  return { found, nanoseconds: Number(process.hrtime.bigint() - start) };
}

/** Runs and cycles through the sets of inputs. Returns the times and the outputs of the first and last run. */
async function runs(session, count, sets, wanted = session.outputNames) {
  const all = { times: [] };
  checkNames(session, sets);
  for (let index = 0; index < count; index += 1) {
    const { found, nanoseconds } = await measured(() => session.run(sets[index % sets.length]));
    all.times.push(nanoseconds);
    if (index === 0) all.first = written(session, found, wanted);
    if (index === count - 1) all.last = written(session, found, wanted);
  }
  return all;
}

/** Encodes the outputs in the order of the graph: their entries in the header, and their blobs. */
function written(session, found, wanted) {
  const names = session.outputNames.filter((name) => wanted.includes(name));
  const outputs = names.map((name) => ({ name, ...encode(name, found[name]) }));
  const entries = outputs.map(({ name, type, blob }) => ({ name, type, bytes: blob.length }));
  return { entries, blobs: outputs.map(({ blob }) => blob) };
}

const HANDLERS = {
  hello({ versions }) {
    if (!versions?.includes(1)) throw refused("version", "no common protocol version: supported [1]");
    const version = ort.env.versions[PACKAGE.slice("onnxruntime-".length)];
    const backend = { name: PACKAGE, version, build: `node ${process.version}`, options: { threads: `${threads}` } };
    return { answer: "hello", version: 1, backend };
  },
  capabilities() {
    return { answer: "capabilities", devices: [provider], options: { threads: "number of threads, 1 by default" } };
  },
  async load({ model, folder, files = [], inputs = [] }) {
    const data = Uint8Array.from(take("model", model));
    const externalData = files.map(({ location, bytes }) => ({ path: location, data: take(location, bytes) }));
    inputs.forEach(({ name, bytes }) => take(name, bytes));
    finish();
    if (folder) throw failed("unsupported", "external data in a folder");
    const settings = { executionProviders: [provider], intraOpNumThreads: threads, externalData };
    const { found, nanoseconds } = await measured(() => ort.InferenceSession.create(data, settings));
    const other = found.outputMetadata?.find(({ isTensor }) => !isTensor);
    if (other) {
      await found.release();
      throw failed("unsupported", `output \`${other.name}\`, which is not a tensor`);
    }
    sessions.set(++last, found);
    return { answer: "loaded", session: last, nanoseconds };
  },
  async run({ session, inputs, outputs }) {
    const [model, set] = [loaded(session), tensors(inputs)];
    finish();
    const { times, first } = await runs(model, 1, [set], outputs ?? undefined);
    return { answer: "ran", outputs: first.entries, nanoseconds: times[0], blobs: first.blobs };
  },
  async bench({ session, warmup, iterations, sets }) {
    const model = loaded(session);
    if (!(iterations > 0 && warmup >= 0 && warmup + iterations <= MAX_RUNS && sets?.length > 0)) {
      throw refused("malformed", `at least one set and one iteration, and at most ${MAX_RUNS} runs`);
    }
    const feeds = sets.map(tensors);
    finish();
    const { times: warmup_nanoseconds } = await runs(model, warmup, feeds);
    const { times: nanoseconds, first, last } = await runs(model, iterations, feeds);
    const blobs = [...first.blobs, ...last.blobs];
    return { answer: "benched", warmup_nanoseconds, nanoseconds, first: first.entries, last: last.entries, blobs };
  },
  async unload({ session }) {
    await loaded(session).release();
    sessions.delete(session);
    return { answer: "unloaded" };
  },
  shutdown: () => ({ answer: "bye" }),
};

async function answer(header) {
  try {
    if (threads instanceof Error) throw threads;
    if (!Object.hasOwn(HANDLERS, header.request)) {
      throw refused("unknown_message", `message \`${header.request}\` is unknown`);
    }
    return await HANDLERS[header.request](header);
  } catch (error) {
    // Errors of the runtime have only text, so none is a typed refusal.
    const stage = header.request === "load" ? "load" : "run";
    return error.answer ?? failed(stage, String(error?.message ?? error)).answer;
  }
}

for (let frame; (frame = readFrame(source)) !== null; ) {
  const { id, request } = frame.header;
  if (!Number.isSafeInteger(id) || typeof request !== "string") throw new Error("the header has no id or no name");
  payload = frame.payload;
  const { blobs = [], ...fields } = await answer(frame.header);
  const tooLong = { answer: "refused", reason: "too_long", message: "the answer is too long" };
  if (!writeFrame(sink, { id, ...fields }, blobs)) writeFrame(sink, { id, ...tooLong }, []);
  if (request === "shutdown") process.exit(0);
}
