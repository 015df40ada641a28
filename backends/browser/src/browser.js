// Chromium without a window, by playwright-core: its process, its page, and their end.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

import { chromium } from "playwright-core";

import { failed } from "../../javascript/src/errors.js";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

// WebGPU on the processor, by the Vulkan driver that Chromium has.
const SOFTWARE = ["--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--use-vulkan=swiftshader"];

/** The path of the browser: the option, or the first one in PATH. */
function executable(given) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = given ? [given] : NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found) return found;
  const tried = given ? `\`${given}\` is not a program` : `none of ${NAMES.join(", ")} is in PATH`;
  throw failed("missing", `${tried}: install Chromium, or name it by the option browser=FILE`);
}

/** Ends the worker: the harness reports a crash of the case, and starts another worker. */
export function die(reason) {
  console.error(reason);
  process.exit(1);
}

/** Starts the browser and opens a page. */
export async function openPage(address, { browser: path, adapter }) {
  const args = ["--enable-unsafe-webgpu", "--disable-dev-shm-usage", ...(adapter === "software" ? SOFTWARE : [])];
  // The sandbox of Chromium does not start for the administrator.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  const browser = await chromium.launch({ executablePath: executable(path), args, handleSIGINT: false });
  const page = await browser.newPage();
  let closing = false;
  page.on("crash", () => die("the tab of the browser crashed"));
  browser.on("disconnected", () => closing || die("the browser ended"));
  await page.goto(address);
  const close = () => {
    closing = true;
    return browser.close();
  };
  return { version: browser.version(), close };
}
