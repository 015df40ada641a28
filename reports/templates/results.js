// The results other than passes, from the page's data. All text is inserted as text.
const page = (() => {
  const data = JSON.parse(by("data").textContent);
  const verdicts = data.verdicts.map(([key, label, kind, sign]) => ({ key, label, class: kind, sign }));
  const cases = data.cases.map(([id, operators, types, opset, place, pattern, found]) => ({
    id,
    operators: operators.map((at) => data.operators[at]),
    types: types.map((at) => data.types[at]),
    opset,
    corpora: data.places[place].map((at) => data.corpora[at]),
    pattern,
    verdicts: found.map((at) => verdicts[at]),
  }));
  const results = data.results.map(([at, backend, group, reason, facts, command, named]) => {
    const one = cases[at];
    return {
      case: one,
      backend,
      verdict: backend < 0 ? one.verdicts.find((verdict) => verdict?.class === "excluded") : one.verdicts[backend],
      group,
      reason,
      facts: facts.map(([label, text]) => [data.labels[label], text]),
      command: data.commands[command] + (named || one.id),
    };
  });

  const operators = (one) => {
    const more = one.operators.length - 3;
    return one.operators.slice(0, 3).join(" ") + (more > 0 ? ` +${more}` : "");
  };

  // One case of a group of failures.
  const item = (result) => {
    const made = element("li", "", element("p", "", caseLink(result.case.id), " ", element("span", "ops", operators(result.case))));
    if (result.reason) made.append(element("p", "why", result.reason));
    if (result.facts.length > 0) {
      const facts = result.facts.map(([label, text]) => element("div", "", element("dt", "", label), element("dd", "", text)));
      made.append(element("dl", "facts", ...facts));
    }
    made.append(commandLine(result.command, `for ${result.case.id}`));
    return made;
  };

  // One case of the heat map.
  const row = (one) => {
    const made = element("tr", "case");
    const heading = element("th", "", caseLink(one.id), " ", element("span", "ops", operators(one)));
    heading.scope = "row";
    made.append(heading);
    for (const verdict of one.verdicts) {
      const cell = element("td", verdict ? `h ${verdict.class} ${verdict.key}` : "h none", element("span", "", verdict ? verdict.sign : ""));
      cell.title = verdict ? verdict.label : "no result";
      made.append(cell);
    }
    return made;
  };

  return { data, verdicts, cases, results, item, row };
})();
