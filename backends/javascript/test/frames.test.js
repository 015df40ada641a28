// A frame that is longer than the buffer of a pipe, on stdout and with a reader that is late.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";

const FRAMES = new URL("../src/frames.js", import.meta.url);
const LENGTH = 1_000_000;
const WRITER = `
import { openChannel, writeFrame } from "${FRAMES}";
const { sink } = openChannel();
writeFrame(sink, {}, [Buffer.alloc(${LENGTH}, 7)]);
`;

test("a long frame waits for its reader", async () => {
  const writer = spawn("node", ["--input-type=module", "-e", WRITER], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => writer.on("close", done));
  await new Promise((done) => setTimeout(done, 500));
  let length = 0;
  writer.stdout.on("data", (part) => (length += part.length));
  assert.equal(await ended, 0);
  assert.equal(length, 24 + 2 + LENGTH);
});
