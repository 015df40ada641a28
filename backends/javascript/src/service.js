// The requests of the protocol, for any runtime with the interface below (docs/protocol.md, "Messages").
//
// runtime.backend: the field `backend` of `hello`; runtime.capabilities: the fields of `capabilities`.
// runtime.load(data, externalData): a session, { inputNames, outputNames, placement }; placement is optional.
// runtime.run(session, feeds): { outputs, nanoseconds }, with feeds and outputs by name, each { type, dims, data }.
// runtime.release(session), and runtime.close(), which is called before the process ends.
import { failed, refused } from "./errors.js";
import { openChannel, readFrame, writeFrame } from "./frames.js";
import { endWithParent } from "./orphan.js";
import { decode, encode } from "./tensors.js";

const MAX_RUNS = 40000;
let payload;

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
  const read = ({ name, type, bytes }) => [name, decode(name, type, take(name, bytes))];
  return Object.fromEntries(entries.map(read));
}

/** Most runtimes ignore an input that the model does not have. */
function checkNames(session, sets) {
  for (const name of sets.flatMap((set) => Object.keys(set))) {
    if (!session.inputNames.includes(name)) throw failed("run", `the model has no input \`${name}\``);
  }
}

/** Encodes the outputs in the order of the graph: their entries in the header, and their blobs. */
function written(session, found, wanted = session.outputNames) {
  const names = session.outputNames.filter((name) => wanted.includes(name));
  const outputs = names.map((name) => ({ name, ...encode(name, found[name]) }));
  const entries = outputs.map(({ name, type, blob }) => ({ name, type, bytes: blob.length }));
  return { entries, blobs: outputs.map(({ blob }) => blob) };
}

/** Runs and cycles through the sets of inputs. Returns the times and the outputs of the first and last run. */
async function runs(runtime, session, count, sets, wanted) {
  const all = { times: [] };
  checkNames(session, sets);
  for (let index = 0; index < count; index += 1) {
    const { outputs, nanoseconds } = await runtime.run(session, sets[index % sets.length]);
    all.times.push(nanoseconds);
    if (index === 0) all.first = written(session, outputs, wanted);
    if (index === count - 1) all.last = written(session, outputs, wanted);
  }
  return all;
}

/** The function for each request. */
function handlers(runtime) {
  const sessions = new Map();
  let last = 0;
  const loaded = (number) => {
    if (!sessions.has(number)) throw refused("unknown_session", `session ${number} is not loaded`);
    return sessions.get(number);
  };
  return {
    hello({ versions }) {
      if (!versions?.includes(1)) throw refused("version", "no common protocol version: supported [1]");
      return { answer: "hello", version: 1, backend: runtime.backend };
    },
    capabilities: () => ({ answer: "capabilities", ...runtime.capabilities }),
    async load({ model, folder, files = [], inputs = [] }) {
      const data = Uint8Array.from(take("model", model));
      const externalData = files.map(({ location, bytes }) => ({ path: location, data: Uint8Array.from(take(location, bytes)) }));
      inputs.forEach(({ name, bytes }) => take(name, bytes));
      finish();
      if (folder) throw failed("unsupported", "external data in a folder");
      const { nanoseconds, ...session } = await runtime.load(data, externalData);
      sessions.set(++last, session);
      return { answer: "loaded", session: last, nanoseconds };
    },
    placement: ({ session }) => ({ answer: "placed", placement: loaded(session).placement ?? [] }),
    async run({ session, inputs, outputs }) {
      const [model, set] = [loaded(session), tensors(inputs)];
      finish();
      const { times, first } = await runs(runtime, model, 1, [set], outputs ?? undefined);
      return { answer: "ran", outputs: first.entries, nanoseconds: times[0], blobs: first.blobs };
    },
    async bench({ session, warmup, iterations, sets }) {
      const model = loaded(session);
      if (!(iterations > 0 && warmup >= 0 && warmup + iterations <= MAX_RUNS && sets?.length > 0)) {
        throw refused("malformed", `at least one set and one iteration, and at most ${MAX_RUNS} runs`);
      }
      const feeds = sets.map(tensors);
      finish();
      const { times: warmup_nanoseconds } = await runs(runtime, model, warmup, feeds);
      const { times: nanoseconds, first, last } = await runs(runtime, model, iterations, feeds);
      const blobs = [...first.blobs, ...last.blobs];
      return { answer: "benched", warmup_nanoseconds, nanoseconds, first: first.entries, last: last.entries, blobs };
    },
    async unload({ session }) {
      await runtime.release(loaded(session));
      sessions.delete(session);
      return { answer: "unloaded" };
    },
    shutdown: () => ({ answer: "bye" }),
  };
}

/** Answers one request. `problem` is the answer to every request if the worker cannot start. */
async function answer(table, problem, header) {
  try {
    if (problem) throw problem;
    if (!Object.hasOwn(table, header.request)) throw refused("unknown_message", `message \`${header.request}\` is unknown`);
    return await table[header.request](header);
  } catch (error) {
    // Errors of the runtime have only text, so none is a typed refusal.
    const stage = header.request === "load" ? "load" : "run";
    return error.answer ?? failed(stage, String(error?.message ?? error)).answer;
  }
}

/** Parses `--opt key=value` arguments. Throws the answer to every request if one is unknown or invalid. */
export function parseOptions(words, known) {
  const options = {};
  for (let at = 0; at < words.length; at += 2) {
    const [key, ...rest] = (words[at + 1] ?? "").split("=");
    const value = rest.join("=");
    if (words[at] !== "--opt" || !known[key]?.values.test(value)) {
      const names = Object.entries(known).map(([name, { help }]) => `${name} (${help})`);
      throw failed("option", `unknown or invalid option; known: ${names.join(", ")}`, { option: key });
    }
    options[key] = value;
  }
  return options;
}

/** Serves the channel until it ends. `start` makes the runtime; what it throws is the answer to every request. */
export async function serve(start) {
  const { source, sink } = openChannel();
  endWithParent();
  let [runtime, problem] = [undefined, undefined];
  try {
    runtime = await start();
  } catch (error) {
    problem = error.answer ? error : failed("missing", String(error?.message ?? error));
  }
  const table = handlers(runtime);
  for (let frame; (frame = readFrame(source)) !== null; ) {
    const { id, request } = frame.header;
    if (!Number.isSafeInteger(id) || typeof request !== "string") throw new Error("the header has no id or no name");
    payload = frame.payload;
    const { blobs = [], ...fields } = await answer(table, problem, frame.header);
    const tooLong = { answer: "refused", reason: "too_long", message: "the answer is too long" };
    if (!writeFrame(sink, { id, ...fields }, blobs)) writeFrame(sink, { id, ...tooLong }, []);
    if (request === "shutdown") break;
  }
  await runtime?.close?.();
  process.exit(0);
}
