"use strict";
(() => {
  // The cases: for each its corpora, a bit each, its verdict on each backend and the
  // version that it is about; then the cases of each row.
  const { cases, rows } = JSON.parse(by("data").textContent);
  let at = 0;
  const groups = [...document.querySelectorAll(".uses tbody")].map((body, place) => {
    const head = body.querySelector(".v");
    const button = head.querySelector("button");
    const name = button.textContent.toLowerCase();
    const uses = [...body.querySelectorAll("tr:not(.v):not(.m)")].map((row) => {
      const numbers = rows[at];
      at += 1;
      return { row, numbers, text: `${name} ${row.cells[0].textContent.toLowerCase()}` };
    });
    const missing = body.querySelector(".m");
    const lack = missing ? `${name} ${missing.textContent.toLowerCase()}` : "";
    const numbers = [...new Set(uses.flatMap((use) => use.numbers))];
    button.addEventListener("click", () => open(group, !body.classList.contains("open")));
    const group = { place, body, head, button, name, uses, missing, lack, numbers };
    return group;
  });
  const open = (group, wanted) => {
    group.body.classList.toggle("open", wanted);
    group.button.setAttribute("aria-expanded", wanted);
  };

  // The same rule as in the page that is written: a failing case about the version outweighs all, passes of all are a tick.
  const fill = (row, numbers, place) => {
    const count = numbers.length;
    row.cells[1].textContent = count.toLocaleString("en");
    [...row.cells].slice(2).forEach((cell, backend) => {
      const verdicts = numbers.map((number) => cases[number][1][backend]);
      const passed = verdicts.filter((verdict) => verdict === "p").length;
      const bad = verdicts.includes("b");
      const own = numbers.some((number) => cases[number][2] === place && cases[number][1][backend] === "b");
      cell.className = count === 0 ? "e" : passed === count ? "f" : own ? "b" : bad ? "s" : passed === 0 ? "l" : "p";
      cell.textContent = count === 0 || passed === count ? "" : `${passed.toLocaleString("en")}/${count.toLocaleString("en")}`;
    });
  };
  const within = (numbers, corpus) => corpus === 0 ? numbers : numbers.filter((number) => Math.floor(cases[number][0] / 2 ** (corpus - 1)) % 2 === 1);

  const find = by("find");
  const show = by("show");
  const corpus = by("corpus");
  const states = (row) => [...row.cells].slice(2).map((cell) => cell.className);
  const wantedGroup = {
    "": () => true,
    untouched: (group) => group.head.cells[1].textContent === "0",
    lacking: (group) => group.missing !== null,
    gap: (group) => states(group.head).some((state) => state !== "f" && state !== "e"),
    bad: (group) => states(group.head).includes("b"),
  };
  const narrow = () => {
    const wanted = words(find);
    const all = (content) => wanted.every((word) => has(content, word));
    const rowWanted = (row) => show.value === "gap" ? states(row).some((state) => state !== "f") : show.value === "bad" ? states(row).includes("b") : true;
    let shown = 0;
    let found = 0;
    for (const group of groups) {
      const whole = all(group.name);
      let uses = 0;
      for (const use of group.uses) {
        use.row.hidden = use.row.cells[1].textContent === "0" || !(whole || all(use.text)) || !rowWanted(use.row);
        if (!use.row.hidden) uses += 1;
      }
      const lacks = group.missing !== null && (whole || all(group.lack));
      if (group.missing) group.missing.hidden = !lacks;
      group.body.hidden = !(whole || uses > 0 || lacks) || !wantedGroup[show.value](group);
      if (wanted.length > 0 && !whole) open(group, !group.body.hidden);
      if (!group.body.hidden) { shown += 1; found += uses; }
    }
    const several = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
    by("found").textContent = shown === groups.length ? "" : `${several(shown, "version")}, ${several(found, "combination")}`;
  };
  const count = () => {
    const chosen = Number(corpus.value);
    for (const group of groups) {
      fill(group.head, within(group.numbers, chosen), group.place);
      for (const use of group.uses) fill(use.row, within(use.numbers, chosen), group.place);
    }
    narrow();
  };
  find.addEventListener("input", later(narrow));
  show.addEventListener("change", narrow);
  if (corpus) corpus.addEventListener("change", count);
  by("open").addEventListener("click", () => groups.forEach((group) => { if (!group.body.hidden) open(group, true); }));
  by("close").addEventListener("click", () => groups.forEach((group) => open(group, false)));
})();
