// A worker over ONNX Runtime's JavaScript interface: `worker.js onnxruntime-node` or `worker.js onnxruntime-web`.
import { failed } from "./src/errors.js";
import { parseOptions, serve } from "./src/service.js";

const PROVIDERS = { "onnxruntime-node": "cpu", "onnxruntime-web": "wasm" };
const OPTIONS = { threads: { values: /^[1-9]\d{0,2}$/, help: "number of threads, 1 by default" } };

/** Calls `work`; returns its result and its time. */
async function measured(work) {
  const start = process.hrtime.bigint();
  const found = await work();
  return { found, nanoseconds: Number(process.hrtime.bigint() - start) };
}

async function start() {
  const [name, ...words] = process.argv.slice(2);
  const provider = PROVIDERS[name];
  if (!provider) throw failed("missing", `unknown package ${name}; known: ${Object.keys(PROVIDERS).join(", ")}`);
  const { threads = "1" } = parseOptions(words, OPTIONS);
  const ort = await import(name);
  const version = ort.env.versions[name.slice("onnxruntime-".length)];
  return {
    backend: { name, version, build: `node ${process.version}`, options: { threads } },
    capabilities: { devices: [provider], options: { threads: OPTIONS.threads.help } },
    async load(data, externalData) {
      const settings = { executionProviders: [provider], intraOpNumThreads: Number(threads), externalData };
      const { found, nanoseconds } = await measured(() => ort.InferenceSession.create(data, settings));
      const other = found.outputMetadata?.find(({ isTensor }) => !isTensor);
      if (other) {
        await found.release();
        throw failed("unsupported", `output \`${other.name}\`, which is not a tensor`);
      }
      return { found, inputNames: found.inputNames, outputNames: found.outputNames, nanoseconds };
    },
    async run(session, feeds) {
      const made = Object.entries(feeds).map(([key, { type, data, dims }]) => [key, new ort.Tensor(type, data, dims)]);
      const inputs = Object.fromEntries(made);
      const { found: outputs, nanoseconds } = await measured(() => session.found.run(inputs));
      return { outputs, nanoseconds };
    },
    release: ({ found }) => found.release(),
  };
}

await serve(start);
