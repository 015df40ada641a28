// The local web site that the browser opens: the page, the files of onnxruntime-web, and the messages of the worker.
import { randomBytes } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { pack, unpack } from "./messages.js";

const PAGE = fileURLToPath(new URL("../page/", import.meta.url));
const RUNTIME = dirname(createRequire(import.meta.url).resolve("onnxruntime-web"));
const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };
// Only such a page has threads and a clock with a resolution of 5 µs.
const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cache-Control": "no-store",
};

/** Sends a file of the page or of the runtime. */
function sendFile(folder, name, response) {
  const file = join(folder, basename(name));
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { ...ISOLATED, "Content-Type": TYPES[file.split(".").pop()] ?? "text/plain" });
  return createReadStream(file).pipe(response);
}

/** Reads the body of a request. */
async function body(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

/** Starts the site. `address` is that of the page; `call` sends a message to the page and waits for its answer. */
export async function startSite() {
  const secret = randomBytes(16).toString("hex");
  let [waiting, outgoing, answered] = [null, null, null];
  const deliver = () => {
    if (!waiting || !outgoing) return;
    waiting.writeHead(200, ISOLATED).end(outgoing);
    [waiting, outgoing] = [null, null];
  };
  const server = createServer(async (request, response) => {
    const [, key, folder, name = "index.html"] = request.url.split("/");
    // Another program of this machine does not know the address.
    if (key !== secret) return response.writeHead(404).end();
    if (folder === "page") return sendFile(PAGE, name, response);
    if (folder === "runtime") return sendFile(RUNTIME, name, response);
    if (folder === "next") {
      waiting = response;
      return deliver();
    }
    const message = await body(request);
    response.writeHead(200, ISOLATED).end();
    return answered?.(unpack(message));
  });
  // The worker blocks while it waits for the harness: a connection must not end meanwhile.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${server.address().port}/${secret}/page/index.html`,
    call(header, blobs) {
      outgoing = pack(header, blobs);
      const answer = new Promise((done) => (answered = done));
      deliver();
      return answer;
    },
    close: () => server.closeAllConnections(),
  };
}
