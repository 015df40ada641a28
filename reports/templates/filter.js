// The filter of failures. Its state is in the address of the page, so that a link repeats it.
(() => {
  const form = by("filter");
  if (!form) return;
  const { data, verdicts, cases, results, item, row } = page;
  const FIELDS = ["q", "backend", "verdict", "operator", "type", "opset", "release"];
  // The maximum number of rows of one pattern, or cases of one group, that are created at once.
  const MOST = 300;
  const field = (name) => form.elements[name];
  const groups = new Map([...document.querySelectorAll(".group")].map((group) => [Number(group.dataset.group), {
    group,
    reason: group.querySelector(".reason").textContent,
    count: group.querySelector("summary .count"),
    list: group.querySelector(".cases"),
    results: [],
  }]));
  const patterns = new Map([...document.querySelectorAll(".pattern")].map((body) => [Number(body.dataset.pattern), {
    body,
    button: body.querySelector("button"),
    cases: new Set(),
  }]));

  const options = (name, values) => {
    const choices = values.map(([value, label]) => {
      const option = element("option", "", label);
      option.value = value;
      return option;
    });
    field(name).append(...choices);
    field(name).closest("label").hidden = values.length === 0;
  };
  const sorted = (values) => [...new Set(values)].sort((a, b) => String(a).localeCompare(String(b), "en", { numeric: true }));
  const CLASSES = { wrong: "wrong", broken: "broken", unsupported: "not supported", excluded: "excluded", not_run: "not run" };
  const present = new Set(results.map((result) => result.verdict));
  const classes = new Set([...present].map((verdict) => verdict.class));
  options("backend", data.backends.map((name) => [name, name]));
  options("verdict", [
    ...Object.entries(CLASSES).filter(([key]) => classes.has(key)),
    ...verdicts.filter((verdict) => present.has(verdict) && !(verdict.key in CLASSES)).map((verdict) => [verdict.key, `– ${verdict.label}`]),
  ]);
  options("type", sorted(cases.flatMap((one) => one.types)).map((name) => [name, name]));
  options("opset", sorted(cases.map((one) => one.opset).filter(Boolean)).map((opset) => [String(opset), String(opset)]));
  options("release", data.corpora.length > 1 ? data.corpora.map((name) => [name, name]) : []);
  const names = sorted(cases.flatMap((one) => one.operators).flatMap((name) => [name, name.replace(/-\d+$/, "")]));
  by("operator-names").append(...names.map((name) => { const option = element("option", ""); option.value = name; return option; }));

  const state = () => Object.fromEntries(FIELDS.map((name) => [name, field(name).value.trim()]).filter(([, value]) => value !== ""));
  const matcher = (wanted) => {
    const search = (wanted.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const operator = (wanted.operator ?? "").toLowerCase();
    const isOperator = (name) => {
      const lower = name.toLowerCase();
      return lower === operator || lower.startsWith(`${operator}-`);
    };
    const text = (result) => `${result.case.id} ${result.case.operators.join(" ")} ${groups.get(result.group)?.reason} ${result.reason}`.toLowerCase();
    return (result) =>
      (!wanted.backend || result.backend < 0 || data.backends[result.backend] === wanted.backend) &&
      (!wanted.verdict || result.verdict.class === wanted.verdict || result.verdict.key === wanted.verdict) &&
      (!wanted.type || result.case.types.includes(wanted.type)) &&
      (!wanted.opset || String(result.case.opset) === wanted.opset) &&
      (!wanted.release || result.case.corpora.includes(wanted.release)) &&
      (!operator || result.case.operators.some(isOperator)) &&
      (search.length === 0 || search.every((word) => has(text(result), word)));
  };
  const counted = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;

  const fillGroup = (entry) => {
    if (!entry.group.open) return;
    const rest = entry.results.length - MOST;
    entry.list.replaceChildren(...entry.results.slice(0, MOST).map(item));
    if (rest > 0) entry.list.append(element("li", "about", `… and ${counted(rest, "more case")}: narrow the filter, or see results.csv`));
  };
  const fillPattern = (entry) => {
    while (entry.body.rows.length > 1) entry.body.rows[1].remove();
    if (entry.button.getAttribute("aria-expanded") !== "true") return;
    const all = [...entry.cases];
    entry.body.append(...all.slice(0, MOST).map(row));
    if (all.length > MOST) {
      const cell = element("td", "about", `… and ${counted(all.length - MOST, "more case")}: narrow the filter`);
      cell.colSpan = data.backends.length + 1;
      entry.body.append(element("tr", "case", cell));
    }
  };

  const apply = () => {
    const wanted = state();
    for (const entry of groups.values()) entry.results = [];
    for (const entry of patterns.values()) entry.cases.clear();
    const matches = matcher(wanted);
    const found = results.filter(matches);
    for (const result of found) {
      groups.get(result.group)?.results.push(result);
      patterns.get(result.case.pattern)?.cases.add(result.case);
    }
    for (const entry of groups.values()) {
      entry.group.hidden = entry.results.length === 0;
      entry.count.textContent = entry.results.length.toLocaleString("en");
      fillGroup(entry);
    }
    for (const entry of patterns.values()) {
      entry.body.hidden = entry.cases.size === 0;
      entry.button.textContent = counted(entry.cases.size, "case");
      fillPattern(entry);
    }
    for (const band of document.querySelectorAll(".heat .band")) {
      let next = band.nextElementSibling;
      while (next && next.matches(".pattern") && next.hidden) next = next.nextElementSibling;
      band.hidden = !next || !next.matches(".pattern");
    }
    for (const holder of document.querySelectorAll(".fold, .backend")) holder.hidden = !holder.querySelector(".group:not([hidden])");
    const few = new Set(found.map((result) => result.case)).size;
    by("found").textContent = Object.keys(wanted).length > 0 ? `${counted(found.length, "result")} in ${counted(few, "case")}` : "";
  };

  const remember = () => {
    const wanted = new URLSearchParams(state()).toString();
    const target = wanted ? `#${wanted}` : location.pathname + location.search;
    // In some viewers the page has no address.
    try { history.replaceState(null, "", target); } catch { /* as above */ }
  };
  const show = (wanted) => {
    for (const name of FIELDS) field(name).value = wanted[name] ?? "";
    apply();
  };
  const fromAddress = () => {
    const text = location.hash.slice(1);
    if (!text.includes("=")) return false;
    show(Object.fromEntries(new URLSearchParams(text)));
    return true;
  };

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { apply(); remember(); }));
  form.addEventListener("change", () => { apply(); remember(); });
  form.addEventListener("input", later(() => { apply(); remember(); }));
  addEventListener("hashchange", () => { if (fromAddress()) by("failures").scrollIntoView(); });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-go]");
    if (!link) return;
    event.preventDefault();
    const { go, ...wanted } = link.dataset;
    show(wanted);
    remember();
    by("failures").scrollIntoView();
    field("q").focus({ preventScroll: true });
  });
  for (const entry of groups.values()) entry.group.addEventListener("toggle", () => fillGroup(entry));
  for (const entry of patterns.values()) {
    entry.button.addEventListener("click", () => {
      entry.button.setAttribute("aria-expanded", entry.button.getAttribute("aria-expanded") !== "true");
      fillPattern(entry);
    });
  }
  const setOpen = (open) => {
    for (const holder of document.querySelectorAll(".fold")) holder.open = open;
    for (const { group } of groups.values()) if (!group.hidden) group.open = open;
  };
  by("failure-open").addEventListener("click", () => setOpen(true));
  by("failure-close").addEventListener("click", () => setOpen(false));
  if (fromAddress()) by("failures").scrollIntoView();
  else apply();
})();

(() => {
  const boards = [...document.querySelectorAll(".board")];
  const choices = [...document.querySelectorAll("input[name=board]")];
  const choose = () => {
    const chosen = choices.find((choice) => choice.checked)?.value;
    for (const board of boards) board.hidden = board.id !== `board-${chosen}`;
  };
  for (const choice of choices) choice.addEventListener("change", choose);
  // All of them are printed.
  addEventListener("beforeprint", () => { for (const board of boards) board.hidden = false; });
  addEventListener("afterprint", choose);
  choose();

  const operator = by("operator-text");
  if (!operator) return;
  const chosen = by("operator-state");
  const bodies = [...document.querySelectorAll("#operators tbody")]
    .map((body) => [body, body.querySelector("th").textContent.toLowerCase()]);
  const wantedState = { "": () => true, bad: (s) => s === "bad", gap: (s) => s !== "full" && s !== "empty" };
  const narrow = () => {
    const wanted = words(operator);
    let found = 0;
    for (const [body, name] of bodies) {
      body.hidden = !wanted.every((word) => has(name, word)) || !wantedState[chosen.value](body.dataset.state);
      if (!body.hidden) found += 1;
    }
    by("operator-found").textContent = found === bodies.length ? "" : `${found} of ${bodies.length} operators`;
  };
  operator.addEventListener("input", later(narrow));
  chosen.addEventListener("change", narrow);
})();
