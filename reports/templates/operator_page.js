// The page of operators: a list, and the details of the operator in the address.
(() => {
  const index = JSON.parse(by("index").textContent);
  const places = new Map(index.operators.map((name, at) => [name, at]));
  const rows = [...by("list-body").rows].map((row) => [row, row.cells[0].textContent.toLowerCase()]);
  const form = by("find");

  // A failing case that tests the operator takes precedence; if all pass, the sign is a tick.
  const cell = (cases, backend, isOwn) => {
    const passed = cases.filter((one) => one.letters[backend] === "p").length;
    const bad = cases.some((one) => one.letters[backend] === "b");
    const own = cases.some((one) => one.letters[backend] === "b" && isOwn(one));
    const count = cases.length;
    const state = count === 0 ? "e" : passed === count ? "f" : own ? "b" : bad ? "s" : passed === 0 ? "l" : "p";
    return element("td", `c ${state}`, count === 0 || passed === count ? "" : `${passed.toLocaleString("en")}/${count.toLocaleString("en")}`);
  };
  const cells = (cases, isOwn) => index.backends.map((_, backend) => cell(cases, backend, isOwn));

  const support = (one, within) => {
    const body = one.versions.flatMap((version, place) => {
      const isOwn = (found) => found.about === place;
      const all = [...new Set(version.uses.flatMap(([, , numbers]) => numbers))].map((at) => one.cases[at]).filter(within);
      const head = element("tr", "v head", rowHead(`${version.id} `, element("small", "", version.about)), element("td", "n", all.length.toLocaleString("en")), ...cells(all, isOwn));
      const uses = version.uses.flatMap(([types, attributes, numbers]) => {
        const cases = numbers.map((at) => one.cases[at]).filter(within);
        if (cases.length === 0) return [];
        return [element("tr", "", rowHead(types || "no types", " ", element("i", "", attributes)), element("td", "n", cases.length.toLocaleString("en")), ...cells(cases, isOwn))];
      });
      return [head, ...uses];
    });
    const made = table("uses", ["Version, types and attribute values", "Cases", ...index.backends], body);
    made.tHead.rows[0].cells[1].className = "n";
    return scroll("Support by version, types and attributes", made);
  };

  const CLASSES = [[0, "ulp-0", "equal"], [1, "ulp-1", "1 ULP"], [4, "ulp-4", "up to 4"], [64, "ulp-64", "up to 64"], [1024, "ulp-1024", "up to 1,024"], [Infinity, "ulp-more", "more"]];
  const top = (bin) => (bin === 0 ? 0 : 2 ** (bin - 1));
  const accuracy = (one) => {
    if (one.accuracy.length === 0) return section("Accuracy", element("p", "about", "No right answer was measured in units in the last place."));
    const rows = one.accuracy.flatMap(({ dtype, backends }) => backends.flatMap(([answers, ulps, worst], backend) => {
      if (answers === 0) return [];
      const all = ulps.reduce((sum, count) => sum + count, 0);
      const shares = CLASSES.map(([limit, kind, label], place) => {
        const below = place === 0 ? -1 : CLASSES[place - 1][0];
        const count = ulps.reduce((sum, count, bin) => sum + (top(bin) > below && top(bin) <= limit ? count : 0), 0);
        return [count, kind, label];
      }).filter(([count]) => count > 0);
      const bar = element("div", "bar", ...shares.map(([count, kind, label]) => {
        const part = element("span", kind);
        part.style.width = `${(100 * count / all).toFixed(2)}%`;
        part.title = `${label}: ${count.toLocaleString("en")} of ${all.toLocaleString("en")}`;
        return part;
      }));
      const about = shares.map(([count, , label]) => `${label} ${(100 * count / all).toFixed(1)} %`).join(", ");
      bar.setAttribute("role", "img");
      bar.setAttribute("aria-label", about);
      return [element("tr", "", rowHead(dtype), element("td", "", index.backends[backend]), element("td", "n", answers.toLocaleString("en")), element("td", "n", all.toLocaleString("en")), element("td", "n", worst), element("td", "ulp-bar", bar), element("td", "", about))];
    }));
    return section("Accuracy by type", element("p", "about", "Right answers of cases about this operator: the errors of their elements in units in the last place."),
      scroll("Accuracy by type", table("", ["Type", "Backend", "Answers", "Elements", "Largest error", "", "Shares"], rows)));
  };

  const failing = (one) => {
    const found = one.cases.filter((found) => found.hasPage && found.about >= 0);
    if (found.length === 0) return [];
    const items = found.slice(0, 200).map((found) => element("li", "", caseLink(found.id)));
    if (found.length > 200) items.push(element("li", "about", `… and ${(found.length - 200).toLocaleString("en")} more`));
    return [section(`Cases that do not pass everywhere (${found.length.toLocaleString("en")})`, element("ul", "failing", ...items))];
  };
  const errata = (one) => (one.errata.length === 0 ? [] : [section("Errata", table("", ["Case", "Kind", "Why"],
    one.errata.map(({ case: id, kind, text }) => element("tr", "", rowHead(caseLink(id)), element("td", "", kind), element("td", "", text)))))]);
  const gaps = (one) => {
    const found = one.versions.filter((version) => version.missing.length > 0 || version.uses.length === 0);
    if (found.length === 0) return [];
    return [section("Gaps", ...found.flatMap((version) => [element("h4", "", version.id),
      version.uses.length === 0 ? element("p", "about", "No case uses this version.")
        : element("dl", "missing", ...version.missing.map(([label, text]) => element("div", "", element("dt", "", label), element("dd", "", text))))]))];
  };
  // Only words can be names of operators of the specification.
  const specification = (name) => {
    if (!/^[A-Za-z0-9]+$/.test(name)) return [];
    const link = element("a", "", "Specification");
    link.href = `https://onnx.ai/onnx/operators/onnx__${name}.html`;
    link.rel = "noreferrer";
    return [element("p", "lead", link)];
  };

  const corpora = (one, shown) => {
    const choice = element("select", "", ...["all", ...index.corpora].map((name, at) => { const option = element("option", "", name); option.value = String(at); return option; }));
    choice.addEventListener("change", () => {
      const at = Number(choice.value);
      const within = (found) => at === 0 || Math.floor(found.corpora / 2 ** (at - 1)) % 2 === 1;
      shown.replaceChildren(support(one, within));
    });
    return element("p", "tools", element("label", "", "Corpus ", choice));
  };

  const show = async (name) => {
    const at = places.get(name);
    const shown = at !== undefined;
    by("list").hidden = shown;
    by("operator").hidden = !shown;
    for (const step of document.querySelectorAll(".step")) step.hidden = !shown;
    if (!shown) return;
    const raw = (await readBlock(Math.floor(at / index.block)))[at % index.block];
    const one = { ...raw, cases: raw.cases.map(([id, corpora, letters, about, hasPage]) => ({ id, corpora, letters, about, hasPage })) };
    const step = (id, to) => { by(id).href = `#${new URLSearchParams({ operator: index.operators[(to + index.operators.length) % index.operators.length] })}`; };
    step("previous", at - 1);
    step("next", at + 1);
    const holder = element("div", "", support(one, () => true));
    by("operator").replaceChildren(element("h2", "", one.name), ...specification(one.name),
      section("Support", ...(index.corpora.length > 1 ? [corpora(one, holder)] : []), holder),
      accuracy(one), ...failing(one), ...errata(one), ...gaps(one));
    document.title = one.name;
    scrollTo(0, 0);
  };

  const states = (row) => [...row.querySelectorAll(".c")].map((cell) => cell.classList[1]);
  const WANTED = {
    "": () => true,
    untouched: (row) => row.cells[1].textContent === "0",
    lacking: (row) => row.cells[3].textContent !== "0",
    gap: (row) => states(row).some((state) => state !== "f" && state !== "e"),
    bad: (row) => states(row).includes("b"),
  };
  const narrow = () => {
    const wanted = words(form.elements.q);
    const isWanted = WANTED[form.elements.show.value] ?? WANTED[""];
    let count = 0;
    for (const [row, name] of rows) {
      row.hidden = !(wanted.every((word) => has(name, word)) && isWanted(row));
      if (!row.hidden) count += 1;
    }
    by("found").textContent = count === rows.length ? "" : `${count.toLocaleString("en")} of ${rows.length.toLocaleString("en")} operators`;
  };
  const remember = () => {
    const state = Object.entries({ q: form.elements.q.value.trim(), show: form.elements.show.value }).filter(([, value]) => value !== "");
    const wanted = new URLSearchParams(state).toString();
    // In some viewers the page has no address.
    try { history.replaceState(null, "", wanted ? `#${wanted}` : location.pathname + location.search); } catch { /* as above */ }
  };
  const fromAddress = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    form.elements.q.value = wanted.get("q") ?? "";
    form.elements.show.value = wanted.get("show") ?? "";
    narrow();
    show(wanted.get("operator"));
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", later(() => { narrow(); remember(); }));
  addEventListener("hashchange", fromAddress);
  fromAddress();
})();
