// Opens a report in headless Chromium: takes screenshots, and runs checks that need a browser.
//
//   npm install && node look.mjs report.html PICTURES
//   node look.mjs 'cases.html#case=onnx-1.22.0/node/test_dft' PICTURES
//
// CHROMIUM names the browser; the default is `chromium` in the path. The exit code is 1 if a check fails.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { checks } from "./checks.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = [["wide", 1280, 900], ["narrow", 390, 844]];
const THEMES = ["light", "dark"];
/** Milliseconds that a report may take to open. */
const OPENS_WITHIN = 1000;

const [report, pictures] = process.argv.slice(2);
if (!report || !pictures) {
  console.error("usage: node look.mjs report.html PICTURES");
  process.exit(2);
}
mkdirSync(pictures, { recursive: true });
const executablePath = process.env.CHROMIUM ?? execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"] });
const [file, fragment] = report.split("#", 2);
const address = pathToFileURL(resolve(file)).href + (fragment === undefined ? "" : `#${fragment}`);
const name = basename(file, ".html") + (fragment === undefined ? "" : `-${fragment.replaceAll(/[^A-Za-z0-9]+/g, "-").slice(0, 60)}`);

let [passed, failed] = [0, 0];
const check = (what, holds, detail = "") => {
  if (holds) passed += 1;
  else failed += 1;
  console.log(`${holds ? "ok" : "FAILED"}: ${what}${detail === "" ? "" : ` (${detail})`}`);
};

/** A page at `address`, with its errors and external requests. */
const open = async (width, height, theme, target = address) => {
  const page = await browser.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", async (dialog) => { faults.push(`dialog: ${dialog.message()}`); await dialog.dismiss(); });
  page.on("request", (request) => { if (!request.url().startsWith("file:")) faults.push(`request: ${request.url()}`); });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  await page.goto(target);
  return { page, faults };
};

for (const [size, width, height] of SIZES) {
  for (const theme of THEMES) {
    const { page, faults } = await open(width, height, theme);
    let took = Infinity;
    // The machine may be busy with other work: the minimum of three is the cost of the page.
    for (let time = 0; time < 3; time += 1) {
      await page.reload();
      took = Math.min(took, await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd));
    }
    check(`${size}, ${theme}: opens within ${OPENS_WITHIN} ms`, took < OPENS_WITHIN, `${Math.round(took)} ms`);
    // The part in the address is shown shortly after the page.
    if (fragment !== undefined) await new Promise((done) => setTimeout(done, 400));
    await page.screenshot({ path: join(pictures, `${name}-${size}-${theme}.png`) });
    const tall = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.screenshot({
      path: join(pictures, `${name}-${size}-${theme}-whole.png`),
      clip: { x: 0, y: 0, width, height: Math.min(tall, 9000) },
      captureBeyondViewport: true,
    });
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(`${size}, ${theme}: nothing is wider than the window`, beyond <= 0, `${beyond} px`);
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
    const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    check(`${size}, ${theme}: axe finds no serious fault`, grave.length === 0,
      grave.map(({ id, nodes }) => `${id}: ${nodes.length} × ${nodes[0].html.slice(0, 160)}`).join("; "));
    check(`${size}, ${theme}: no script error, no dialog, no request`, faults.length === 0, faults.join("; "));
    await page.close();
  }
}
{
  const { page } = await open(1280, 900, "light");
  await page.pdf({ path: join(pictures, `${name}.pdf`), format: "A4", printBackground: true });
  await page.close();
}
// States of a page are only inspected; interactions are checked on the page itself.
if (fragment === undefined) await checks({ open, check, address });
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
