// The page of cases: a list, and the details of the case in the address.
(() => {
  const index = JSON.parse(by("index").textContent);
  const verdicts = index.verdicts.map(([key, label, kind, sign]) => ({ key, label, class: kind, sign }));
  const places = new Map(index.cases.map(([id], at) => [id, at]));
  // The number of rows that are created before somebody asks for the rest.
  const MOST = 300;
  let limit = MOST;

  const part = (list) => list?.first ?? [];
  const more = (list, thing) => {
    const rest = (list?.count ?? 0) - part(list).length;
    return rest > 0 ? [element("p", "about", `… and ${rest.toLocaleString("en")} more ${thing}`)] : [];
  };
  const signOf = (kind) => verdicts.find((verdict) => verdict.key === kind[1])?.sign ?? "";

  const chips = (one) => element("ul", "chips", ...one.results.map((result) => element("li", "",
    element("span", `sign h ${result.kind.join(" ")}`, element("span", "", signOf(result.kind))),
    element("b", "", index.backends[result.backend]), result.verdict)));

  // All backends: a row for each fact, first of the result, then of each output.
  const besideEachOther = (one) => {
    const rows = [];
    const add = (label, values) => {
      if (values.every((value) => value === "")) return;
      rows.push(element("tr", "", rowHead(label), ...values.map((value) => element("td", label === "reason" ? "why" : "", value))));
    };
    add("verdict", one.results.map((result) => result.verdict));
    add("reason", one.results.map((result) => result.reason));
    const facts = (lists) => {
      const labels = [...new Set(lists.flatMap((list) => list.map(([label]) => label)))];
      // The first differences are shown in separate tables.
      for (const label of labels.filter((label) => label !== "first")) add(label, lists.map((list) => list.find(([own]) => own === label)?.[1] ?? ""));
    };
    facts(one.results.map((result) => result.facts));
    const names = [...new Set(one.results.flatMap((result) => result.outputs.map((output) => output.name)))];
    for (const name of names) facts(one.results.map((result) => result.outputs.find((output) => output.name === name)?.facts ?? []));
    return section("Every backend", scroll("Results by backend", table("facts-table", ["", ...one.results.map((result) => index.backends[result.backend])], rows)));
  };

  const indexOf = (place, shape) => {
    const at = [];
    for (const extent of [...shape].reverse()) {
      at.unshift(place % extent);
      place = Math.floor(place / extent);
    }
    return `[${at.join(", ")}]`;
  };
  const around = (output) => {
    const window = output.window;
    const inputs = window.inputs ?? [];
    const bounds = window.bounds ?? [];
    const bound = (value) => (value === "inf" ? "none known" : Number(value) === 0 ? "exact" : `± ${Number(value).toPrecision(3)}`);
    const rows = window.got.map((got, at) => {
      const cells = [...inputs.map(([, values]) => values[at] ?? ""), window.expected[at] ?? ""].map((text) => element("td", "", text));
      const limit = bounds.length > 0 ? [element("td", "", bound(bounds[at]))] : [];
      const differs = got !== window.expected[at];
      return element("tr", differs ? "differs" : "", rowHead(indexOf(window.start + at, output.shape)), ...cells, element("td", "got", got), ...limit);
    });
    const heads = ["index", ...inputs.map(([name]) => name), "expected", "got", ...(bounds.length > 0 ? ["bound"] : [])];
    return scroll(`Elements of ${output.name}`, table("values", heads, rows));
  };
  const strip = (output) => {
    const all = output.spread.reduce((sum, count) => sum + count, 0);
    const most = Math.max(...output.spread);
    const made = element("div", "strip", ...output.spread.map((count) => {
      const cell = element("span", "");
      if (count > 0) cell.style.background = `color-mix(in srgb, var(--mismatch) ${Math.round(35 + 65 * count / most)}%, transparent)`;
      cell.title = `${count.toLocaleString("en")} differ`;
      return cell;
    }));
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", `Positions of ${all.toLocaleString("en")} differing elements, from the first element to the last`);
    return [element("h4", "", "Positions, from the first element to the last"), made];
  };
  const binLabel = (bin) => (bin < 3 ? String(bin) : `${(2 ** (bin - 2) + 1).toLocaleString("en")}–${(2 ** (bin - 1)).toLocaleString("en")}`);
  const histogram = (output) => {
    const most = Math.max(...output.ulps);
    const rows = output.ulps.flatMap((count, bin) => {
      if (count === 0) return [];
      const bar = element("span", bin === 0 ? "none-off" : "");
      bar.style.width = `${(100 * count / most).toFixed(1)}%`;
      return [element("tr", "", rowHead(bin > 40 ? `more than 2^${bin - 2}` : binLabel(bin)), element("td", "n", count.toLocaleString("en")), element("td", "track", bar))];
    });
    return [element("h4", "", "Errors in units in the last place"), table("ulps", ["ULP", "elements", ""], rows)];
  };
  const differences = (one) => one.results.flatMap((result) => result.outputs.filter((output) => output.window).map((output) => section(
    `${index.backends[result.backend]}: ${output.name} around the first difference`,
    around(output), ...(output.spread.length > 1 ? strip(output) : []), ...(output.ulps.length > 0 ? histogram(output) : []))));

  const SVG = "http://www.w3.org/2000/svg";
  const drawn = (name, attributes, ...content) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
  };
  const graphView = (one) => {
    const { width, height, boxes, edges } = one.graph_view;
    const shapes = boxes.map((box) => drawn("g", { class: box.kind },
      drawn("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: box.kind === "node" ? 4 : box.height / 2 }),
      drawn("text", { x: box.x + box.width / 2, y: box.y + box.height / 2 }, box.label)));
    const about = `Graph of ${boxes.filter((box) => box.kind === "node").length} nodes`;
    const svg = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": about }, ...edges.map((d) => drawn("path", { d })), ...shapes);
    const holder = scroll(about, svg);
    holder.classList.add("graph-view");
    return holder;
  };
  const values = (list) => table("", ["Name", "Type", "Elements"], part(list).map((value) => {
    const rest = value.elements.count - value.elements.first.length;
    const text = value.elements.first.join(", ") + (rest > 0 ? `, … (${value.elements.count.toLocaleString("en")})` : "");
    return element("tr", "", rowHead(value.name), element("td", "names", value.value_type), element("td", "names", text));
  }));
  // Only words can be names of operators of the specification.
  const specification = (operator) => {
    const [, name] = operator.match(/^([A-Za-z0-9]+)-\d+$/) ?? [];
    if (!name) return [];
    const link = element("a", "", "specification");
    link.href = `https://onnx.ai/onnx/operators/onnx__${name}.html`;
    link.rel = "noreferrer";
    return [" ", link];
  };
  const nodes = (detail) => table("", ["Operator", "Inputs", "Outputs", "Attributes"], part(detail.nodes).map((node) => {
    const attributes = part(node.attributes).map(([name, value]) => element("li", "", `${name} = ${value}`));
    const names = (list) => part(list).map((name) => name || "–").join(", ") + (list.count > part(list).length ? ", …" : "");
    const head = rowHead("");
    head.append(element("b", "", node.operator), ...(node.name ? [" ", element("span", "ops", node.name)] : []), ...(detail.nodes.count === 1 ? specification(node.operator) : []));
    return element("tr", "", head, element("td", "names", names(node.inputs)), element("td", "names", names(node.outputs)),
      element("td", "", element("ul", "attributes", ...attributes), ...more(node.attributes, "attributes")));
  }));
  const model = (one) => {
    const { detail } = one;
    if (!detail) return section("Model", element("p", "about", `Operators: ${one.operators.join(", ") || "unknown"}. The log has no more details of this case.`));
    const typed = (list) => part(list).map((value) => `${value.name}: ${value.value_type || "any type"}`).join(", ") || "none";
    const imports = Object.entries(detail.imports).map(([domain, opset]) => `${domain || "ai.onnx"} ${opset}`).join(", ");
    const facts = [["inputs", typed(detail.inputs)], ["outputs", typed(detail.outputs)], ["opsets", imports]];
    const list = element("dl", "facts", ...facts.map(([label, text]) => element("div", "", element("dt", "", label), element("dd", "names", text))));
    const made = section("Model", list, ...(one.graph_view ? [graphView(one)] : []), scroll("Nodes", nodes(detail)), ...more(detail.nodes, "nodes"));
    if (part(detail.initializers).length > 0) made.append(element("h4", "", "Initializers"), scroll("Initializers", values(detail.initializers)), ...more(detail.initializers, "initializers"));
    return made;
  };
  const inputs = (one) => part(one.detail?.data_sets).map((set) => section(`Inputs of ${set.name}`, scroll(`Inputs of ${set.name}`, values(set.inputs)), ...more(set.inputs, "inputs")));

  const ABOUT = { repeat: "Repeat", export: "Write its files", locate: "Locate the wrong node", reduce: "Reduce the model", keep: "Keep as a regression case" };
  const commands = (one) => one.results.filter((result) => result.commands.length > 0).map((result) => section(
    `Commands for ${index.backends[result.backend]}`,
    element("dl", "commands", ...result.commands.flatMap(([what, command]) => [element("dt", "", ABOUT[what] ?? what), element("dd", "", commandLine(command, `that does this: ${ABOUT[what] ?? what}`))]))));

  const errata = (one) => {
    const excluded = one.results.find((result) => result.kind[0] === "excluded");
    // The text after the bracket is specific to this backend.
    return excluded ? [element("p", "notice", element("strong", "", "Excluded: "), excluded.reason.split(" [")[0])] : [];
  };

  // The open questions of the specification on which the case depends.
  const readings = (one) => {
    if (one.readings.length === 0) return [];
    const rows = one.readings.map((reading) => element("tr", "", rowHead(reading.question), element("td", "names", reading.default),
      ...index.backends.map((_, place) => {
        const found = reading.answers.find(([backend]) => backend === place);
        const text = found ? found[1] ?? "another" : "";
        return element("td", found && text !== reading.default ? "names departs" : "names", text);
      })));
    return [section("Readings", element("p", "about", "The specification leaves these questions open. Each backend has the answer that its outputs follow; those other than the default are marked."),
      scroll("Readings", table("", ["Question", "Default", ...index.backends], rows)))];
  };

  // What the case came to in earlier runs: a bar for each run, the higher the worse, and in words since when the newest verdict holds.
  const verdictOf = (letter) => verdicts[letter.charCodeAt(0) - 65];
  const since = (letters, runs) => {
    const known = [...letters].map((letter, run) => ({ letter, run })).filter(({ letter }) => letter !== ".");
    const newest = known.at(-1);
    if (!newest) return "in no earlier run";
    const turn = known.findLastIndex(({ letter }) => letter !== newest.letter);
    const label = verdictOf(newest.letter)?.label ?? "unknown";
    const [started, version] = runs[known[turn + 1].run];
    const count = known.length - turn - 1;
    const held = `${label} since ${started.slice(0, 10)}, version ${version} (${count} ${count === 1 ? "run" : "runs"})`;
    if (turn < 0) return `${held}, the oldest that is shown`;
    const [, before] = runs[known[turn].run];
    return `${held}; before that ${verdictOf(known[turn].letter)?.label ?? "unknown"}, version ${before}`;
  };
  const past = (one) => {
    const rows = one.past.flatMap((letters, place) => {
      if (letters === "") return [];
      const { name, runs } = index.past[place];
      const words = since(letters, runs);
      const bars = element("div", "past", ...[...letters].map((letter, run) => {
        const verdict = verdictOf(letter);
        const bar = element("span", verdict ? `${verdict.class} ${verdict.key}` : "none");
        bar.title = `${verdict?.label ?? "not in this run"}: ${runs[run][0]}, version ${runs[run][1]}`;
        return bar;
      }));
      bars.setAttribute("role", "img");
      bars.setAttribute("aria-label", `${name}, ${runs.length} earlier runs: ${words}`);
      return [element("tr", "", rowHead(name), element("td", "wide", bars), element("td", "", words))];
    });
    return rows.length > 0 ? [section("Earlier runs", scroll("Earlier runs", table("earlier", ["Backend", "Oldest to newest", "Newest"], rows)))] : [];
  };

  const show = async (id) => {
    const at = places.get(id);
    const shown = at !== undefined;
    by("list").hidden = shown;
    by("case").hidden = !shown;
    for (const step of document.querySelectorAll(".step")) step.hidden = !shown;
    if (!shown) return;
    const holder = by("case");
    const one = (await readBlock(Math.floor(at / index.block)))[at % index.block];
    const step = (id, to) => { by(id).href = `#${new URLSearchParams({ case: index.cases[(to + index.cases.length) % index.cases.length][0] })}`; };
    step("previous", at - 1);
    step("next", at + 1);
    const also = one.also_in.length > 0 ? ` · also in ${one.also_in.join(", ")}` : "";
    holder.replaceChildren(element("h2", "", one.id), element("p", "lead", one.operators.slice(0, 8).join(", ") + (one.operators.length > 8 ? ` and ${one.operators.length - 8} more` : "") + also),
      chips(one), ...errata(one), ...differences(one), besideEachOther(one), ...past(one), ...readings(one), model(one), ...inputs(one), ...commands(one));
    document.title = one.id;
    scrollTo(0, 0);
  };

  const list = () => {
    const wanted = words(by("find").elements.q);
    const state = by("find").elements.show?.value ?? "";
    const isAsked = (newness) => state === "" || (newness || "known") === state;
    const found = index.cases.filter(([id, , newness]) => isAsked(newness) && wanted.every((word) => has(id.toLowerCase(), word)));
    by("list-body").replaceChildren(...found.slice(0, limit).map(([id, kinds, newness]) => {
      const head = element("th", "", caseLink(id), ...(newness ? [" ", element("span", "badge", newness)] : []));
      head.scope = "row";
      return element("tr", "case", head, ...kinds.map((kind) => {
        const verdict = verdicts[kind];
        const cell = element("td", verdict ? `h ${verdict.class} ${verdict.key}` : "h none", element("span", "", verdict?.sign ?? ""));
        cell.title = verdict?.label ?? "no result";
        return cell;
      }));
    }));
    by("list-count").textContent = index.cases.length.toLocaleString("en");
    by("found").textContent = wanted.length > 0 || state !== "" ? `${found.length.toLocaleString("en")} found` : "";
    by("rest").hidden = found.length <= limit;
    by("rest").textContent = `Show all ${found.length.toLocaleString("en")} cases`;
  };

  const fromAddress = () => show(new URLSearchParams(location.hash.slice(1)).get("case"));
  if (by("find")) {
    by("list-head").append(...index.backends.map((name) => { const cell = element("th", "", name); cell.scope = "col"; return cell; }));
    by("find").addEventListener("submit", (event) => event.preventDefault());
    by("find").addEventListener("input", later(() => { limit = MOST; list(); }));
    by("rest").addEventListener("click", () => { limit = Infinity; list(); });
    list();
  }
  addEventListener("hashchange", fromAddress);
  fromAddress();
})();
