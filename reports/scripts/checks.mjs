// Checks of a report in the browser: filters, links, sorting, terms, the keyboard.

const found = (page) => page.$eval("#found", (element) => element.textContent);
/** The results that the list of failures shows now. */
const shown = (page) => page.$$eval(".group:not([hidden]) summary .count", (counts) =>
  counts.filter((count) => !count.closest("[hidden]")).reduce((sum, count) => sum + Number(count.textContent.replaceAll(",", "")), 0));
const settled = () => new Promise((resolve) => setTimeout(resolve, 250));

export const checks = async ({ open, check, address }) => {
  const { page, faults } = await open(1280, 900, "light");
  const has = async (selector) => (await page.$(selector)) !== null;

  if (await has("#filter")) {
    await links(page, check);
    await filters(page, check, open, address);
    await unfolding(page, check);
  }
  if (await has("#case")) await cases(page, check, open, address);
  if (await has("#operator")) await operators(page, check, open, address);
  if (await has("table.sortable")) await sorting(page, check);
  if (await has("a.term")) await terms(page, check);
  await keyboard(open, check);
  check("no errors", faults.length === 0, faults.join("; "));
  await page.close();
};

/** Each number on a card leads to as many results. */
const links = async (page, check) => {
  const count = await page.$$eval(".card dd a[data-go]", (all) => all.length);
  for (let at = 0; at < count; at += 1) {
    const [what, expected] = await page.$$eval(".card dd a[data-go]", (all, at) => {
      all[at].click();
      return [`${all[at].dataset.backend} ${all[at].dataset.verdict}`, Number(all[at].textContent.replaceAll(",", ""))];
    }, at);
    const excluded = what.endsWith("excluded");
    const listed = await shown(page);
    check(`card ${what.slice(0, 40)} leads to its results`, listed === expected, `${listed} of ${expected}${excluded ? ", excluded" : ""}`);
  }
};

const filters = async (page, check, open, address) => {
  await page.click("#filter [type=reset]");
  await settled();
  const all = await shown(page);
  check("the empty filter shows all", all > 0 && (await found(page)) === "", String(all));
  for (const name of ["backend", "verdict", "type", "opset"]) {
    const value = await page.$eval(`#filter [name=${name}]`, (field) => field.options[1]?.value ?? "");
    if (value === "") continue;
    await page.select(`#filter [name=${name}]`, value);
    const some = await shown(page);
    const hash = new URLSearchParams(new URL(page.url()).hash.slice(1));
    check(`filter by ${name} narrows and is in the address`, some <= all && hash.get(name) === value, `${some} of ${all}`);
    const again = await open(1280, 900, "light", `${address}${new URL(page.url()).hash}`);
    check(`a link repeats the filter by ${name}`, (await shown(again.page)) === some);
    await again.page.close();
    await page.click("#filter [type=reset]");
    await settled();
  }
  await page.type("#filter [name=q]", "zzz-no-such-case");
  await settled();
  check("a filter that matches nothing says so", (await found(page)).startsWith("0 results") && (await shown(page)) === 0);
  await page.click("#filter [type=reset]");
  await settled();
  check("the filter can be cleared", (await shown(page)) === all && !page.url().includes("#"));
};

const unfolding = async (page, check) => {
  const rows = await page.$eval(".pattern", (body) => {
    body.querySelector("button").click();
    return [body.rows.length - 1, Number.parseInt(body.querySelector("button").textContent.replaceAll(",", ""), 10)];
  });
  check("a row of the heat map unfolds its cases", rows[0] === Math.min(rows[1], 301), rows.join(" of "));
  const cases = await page.evaluate(async () => {
    const group = document.querySelector(".group:not([hidden])");
    for (let holder = group; holder; holder = holder.parentElement?.closest("details")) holder.open = true;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return [group.querySelectorAll(".cases > li").length, Number(group.querySelector("summary .count").textContent.replaceAll(",", "")),
      group.querySelector(".cmd code").textContent, group.querySelector(".cmd button") !== null];
  });
  check("a group lists its cases with their commands", cases[0] >= Math.min(cases[1], 300) && cases[2].includes("--filter ") && cases[3], cases[2]);
};

/** The page of cases: the list leads to a case, the address repeats it, and it tells what there is. */
const cases = async (page, check, open, address) => {
  const listed = await page.$$eval("#list-body tr", (rows) => rows.length);
  check("cases are listed", listed > 0, String(listed));
  await page.type("#find [name=q]", "zzz-no-such-case");
  await settled();
  check("a search that finds no case says so", (await page.$$eval("#list-body tr", (rows) => rows.length)) === 0 && (await found(page)).startsWith("0 found"));
  await page.$eval("#find [name=q]", (field) => { field.value = ""; field.dispatchEvent(new Event("input", { bubbles: true })); });
  await settled();
  const ids = await page.evaluate(() => JSON.parse(document.getElementById("index").textContent).cases.map(([id]) => id));
  const shownIn = async (id) => {
    const began = performance.now();
    const again = await open(1280, 900, "light", `${address}#${new URLSearchParams({ case: id })}`);
    await again.page.waitForSelector("#case > h2");
    const took = performance.now() - began;
    const [title, headings] = await again.page.$eval("#case", (one) => [one.querySelector("h2").textContent, [...one.querySelectorAll("h3")].map((heading) => heading.textContent)]);
    check(`${id.slice(0, 70)} is shown`, title === id && headings.includes("Every backend") && headings.includes("Model"), `${Math.round(took)} ms, ${headings.length} sections`);
    const faults = again.faults.length;
    await again.page.close();
    return faults;
  };
  let faults = 0;
  for (const part of [0, 0.25, 0.5, 0.75, 1]) faults += await shownIn(ids[Math.round(part * (ids.length - 1))]);
  check("no case causes an error", faults === 0);
  // Every case of the page, in the page itself.
  const [empty, withPast] = await page.evaluate(async (ids) => {
    const bad = [];
    let past = 0;
    for (const id of ids) {
      location.hash = new URLSearchParams({ case: id });
      for (let time = 0; time < 100 && document.querySelector("#case > h2")?.textContent !== id; time += 1) await new Promise((resolve) => setTimeout(resolve, 5));
      if (document.querySelector("#case > h2")?.textContent !== id || document.querySelectorAll("#case section").length < 2) bad.push(id);
      if (document.querySelector("#case .past[role=img] span")) past += 1;
    }
    return [bad, past];
  }, ids);
  const pastRuns = await page.evaluate(() => JSON.parse(document.getElementById("index").textContent).past.length);
  check("earlier runs are shown where the report has them", (withPast > 0) === (pastRuns > 0), `${withPast} cases`);
  check(`each of ${ids.length} cases can be shown`, empty.length === 0, empty.slice(0, 3).join(", "));
  const before = await page.$eval("#case > h2", (heading) => heading.textContent);
  await page.$eval("#next", (link) => link.click());
  await settled();
  check("the next case follows", (await page.$eval("#case > h2", (heading) => heading.textContent)) !== before || ids.length === 1);
};

/** The page of operators: the list narrows, its state is in the address, and each operator can be shown. */
const operators = async (page, check, open, address) => {
  const listed = () => page.$$eval("#list-body tr:not([hidden])", (rows) => rows.length);
  const all = await listed();
  check("operators are listed", all > 0, String(all));
  await page.select("#find [name=show]", "lacking");
  await settled();
  const some = await listed();
  const again = await open(1280, 900, "light", `${address}${new URL(page.url()).hash}`);
  const repeated = await again.page.$$eval("#list-body tr:not([hidden])", (rows) => rows.length);
  check("a link repeats the list", some <= all && repeated === some && page.url().includes("show=lacking"), `${some} of ${all}`);
  await again.page.close();
  const names = await page.evaluate(() => JSON.parse(document.getElementById("index").textContent).operators);
  const empty = await page.evaluate(async (names) => {
    const bad = [];
    for (const name of names) {
      location.hash = new URLSearchParams({ operator: name });
      for (let time = 0; time < 100 && document.querySelector("#operator > h2")?.textContent !== name; time += 1) await new Promise((resolve) => setTimeout(resolve, 5));
      if (document.querySelector("#operator > h2")?.textContent !== name || !document.querySelector("#operator .uses tr.v")) bad.push(name);
    }
    return bad;
  }, names);
  check(`each of ${names.length} operators can be shown`, empty.length === 0, empty.slice(0, 5).join(", "));
  const corpora = await page.$("#operator select");
  if (corpora) {
    const before = await page.$eval("#operator .uses", (table) => table.textContent);
    await page.select("#operator select", "1");
    check("the counts of one corpus can be chosen", (await page.$eval("#operator .uses", (table) => table.textContent)) !== before || names.length > 0);
  }
  await page.goto(address);
};

const sorting = async (page, check) => {
  const orders = await page.$$eval("table.sortable", (tables) => tables.filter((table) => table.tBodies[0].rows.length > 1).map((table) => {
    const heading = table.tHead.rows[0].cells[1];
    const column = () => [...table.tBodies[0].rows].map((row) => row.cells[1].dataset.sort ?? row.cells[1].textContent.replaceAll(",", "")).map(Number);
    heading.querySelector(".sort").click();
    const up = column();
    heading.querySelector(".sort").click();
    const down = column();
    const numbers = up.every((value) => !Number.isNaN(value));
    return !numbers || (up.every((value, at) => at === 0 || up[at - 1] <= value) && down.every((value, at) => at === 0 || down[at - 1] >= value));
  }));
  check("tables sort by a column, up and down", orders.every(Boolean), `${orders.length} tables`);
};

const terms = async (page, check) => {
  const missing = await page.$$eval("a.term", (all) => all.filter((term) => !document.querySelector(term.getAttribute("href"))).map((term) => term.textContent));
  check("every term has its definition", missing.length === 0, missing.join(", "));
  await page.$eval("a.term", (term) => term.click());
  const open = await page.$eval("#definition", (box) => box.matches(":popover-open") && box.textContent.length > 20);
  await page.keyboard.press("Escape");
  const closed = await page.$eval("#definition", (box) => !box.matches(":popover-open"));
  check("a term shows its definition, Escape closes it", open && closed);
};

const keyboard = async (open, check) => {
  const { page } = await open(1280, 900, "light");
  const reached = new Set();
  const visible = [];
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      const label = element.closest("label");
      const outlined = style.outlineStyle !== "none" || (label && getComputedStyle(label).outlineStyle !== "none");
      return [element.tagName + (element.name ?? element.id ?? ""), outlined || element.matches(".skip, select, input")];
    });
    // After the last element the focus leaves the page.
    if (at[0].startsWith("BODY")) break;
    reached.add(at[0]);
    visible.push(at[1]);
  }
  check("the keyboard reaches links and controls, and shows where it is", reached.size > 3 && visible.every(Boolean), [...reached].slice(0, 8).join(" "));
  await page.close();
};
