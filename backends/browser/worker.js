// A worker over onnxruntime-web in Chromium: `worker.js wasm` or `worker.js webgpu`.
import { failed } from "../javascript/src/errors.js";
import { parseOptions, serve } from "../javascript/src/service.js";
import { die, openPage } from "./src/browser.js";
import { part } from "./src/messages.js";
import { startSite } from "./src/site.js";

const SWITCH = /^(on|off)$/;
const BROWSER = { values: /./, help: "path of Chromium, by default the first in PATH" };
const PROVIDERS = {
  wasm: {
    name: "CPUExecutionProvider",
    options: { browser: BROWSER, threads: { values: /^[1-9]\d{0,2}$/, help: "number of threads, 1 by default" } },
  },
  webgpu: {
    name: "WebGpuExecutionProvider",
    options: {
      browser: BROWSER,
      adapter: { values: /^(default|software)$/, help: "default, or software: WebGPU on the processor" },
      fallback: { values: SWITCH, help: "on or off (default): whether the processor may run nodes" },
    },
  },
};

/** Asks the page. A page that cannot go on ends the worker. */
async function ask(site, header, blobs) {
  const { header: answer, bytes } = await site.call(header, blobs);
  if (answer.fatal) die(answer.fatal);
  if (answer.failed) throw failed(answer.failed, answer.message);
  return { answer, bytes };
}

async function load(site, data, externalData) {
  const files = externalData.map((file) => ({ path: file.path, length: file.data.length }));
  const blobs = [data, ...externalData.map((file) => file.data)];
  return (await ask(site, { call: "load", model: data.length, files }, blobs)).answer;
}

async function run(site, { session }, feeds) {
  const parts = Object.entries(feeds).map(([name, tensor]) => ({ name, ...part(tensor) }));
  const inputs = parts.map(({ name, entry }) => ({ name, ...entry }));
  const { answer, bytes } = await ask(site, { call: "run", session, inputs }, parts.map(({ blob }) => blob));
  let at = 0;
  const outputs = answer.outputs.map(({ name, type, dims, strings, bytes: length }) => {
    const data = strings ?? bytes.subarray(at, (at += length));
    return [name, { type, dims, data }];
  });
  return { outputs: Object.fromEntries(outputs), nanoseconds: answer.nanoseconds };
}

async function start() {
  const [provider, ...words] = process.argv.slice(2);
  const known = PROVIDERS[provider];
  if (!known) throw failed("missing", `unknown provider ${provider}; known: ${Object.keys(PROVIDERS).join(", ")}`);
  const given = parseOptions(words, known.options);
  const defaults = provider === "wasm" ? { threads: "1" } : { adapter: "default", fallback: "off" };
  const options = { ...defaults, ...given };
  const site = await startSite();
  const page = await openPage(site.address, options);
  const settings = { provider, threads: Number(options.threads ?? 1), fallback: options.fallback };
  const { answer } = await ask(site, { call: "start", ...settings });
  const build = [`Chromium ${page.version}`, answer.adapter && `adapter ${answer.adapter}`, !answer.isolated && "not isolated"];
  const help = Object.entries(known.options).map(([name, option]) => [name, option.help]);
  return {
    backend: {
      name: `onnxruntime-web ${provider}`,
      version: answer.version,
      build: build.filter(Boolean).join(", "),
      options,
      provider: provider === "webgpu" ? known.name : "",
    },
    capabilities: { devices: [answer.adapter || "wasm"], options: Object.fromEntries(help) },
    load: (data, externalData) => load(site, data, externalData),
    run: (session, feeds) => run(site, session, feeds),
    release: ({ session }) => ask(site, { call: "release", session }),
    close: () => page.close(),
  };
}

await serve(start);
