// Takes the pictures of docs/runs.md ("From a report to a regression case"): the front page of a run, and the page of a case.
//
//   node walk.mjs RUN CASE IMAGES
//
// CHROMIUM names the browser, as for look.mjs.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [run, id, images] = process.argv.slice(2);
if (!images) {
  console.error("usage: node walk.mjs RUN CASE IMAGES");
  process.exit(2);
}
mkdirSync(images, { recursive: true });
const executablePath = process.env.CHROMIUM ?? execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"] });

/** A picture of a page from its top to the bottom of the last element of `selector` that begins in the first `most` pixels. */
const take = async (address, name, selector, most) => {
  const page = await browser.newPage();
  await page.setViewport({ width: 1000, height: 800 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await page.goto(address);
  await page.waitForSelector(selector);
  const height = await page.$$eval(selector, (found, most) => {
    const ends = found.map((one) => one.getBoundingClientRect()).filter((box) => box.top < most).map((box) => box.bottom);
    return Math.max(...ends);
  }, most);
  await page.screenshot({ path: join(images, name), clip: { x: 0, y: 0, width: 1000, height: Math.ceil(height) + 8 } });
  await page.close();
};

const page = (file) => pathToFileURL(resolve(run, file)).href;
await take(page("report.html"), "walk-front.png", ".findings > li", 1000);
await take(`${page("cases.html")}#${new URLSearchParams({ case: id })}`, "walk-case.png", ".earlier", Infinity);
await browser.close();
