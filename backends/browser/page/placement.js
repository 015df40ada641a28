// Which provider runs each node, from the lines that the runtime writes to the console while it loads a model at the
// verbose level: its JavaScript interface does not tell. Without such lines nothing is placed, and nothing passes.

const SOURCE = "VerifyEachNodeIsAssignedToAnEp]";
const HEAD = /(?:All nodes|Node\(s\)) placed on \[(\w+)\]\. Number of nodes: (\d+)/;
const NODE = /^\s*(\w+) \((.*)\)\s*$/;

/** The nodes with their providers: `lines` are those of one load. */
export function placement(lines) {
  const groups = [];
  for (const line of lines.filter((text) => text.includes(SOURCE))) {
    const text = line.slice(line.indexOf(SOURCE) + SOURCE.length);
    const [, provider, count] = HEAD.exec(text) ?? [];
    const [, operator, node] = NODE.exec(text) ?? [];
    if (provider) groups.push({ provider, count: Number(count), nodes: [] });
    else if (operator) groups.at(-1)?.nodes.push({ node: node || operator, operator });
  }
  return groups.flatMap(({ provider, count, nodes }) =>
    // Where all nodes are on one provider, they are only counted.
    Array.from({ length: count }, (_, at) => ({ ...(nodes[at] ?? { node: `node ${at + 1}` }), provider })),
  );
}

/** What is not on `provider`, in words; empty if every node is. */
export function elsewhere(provider, placed) {
  if (placed.length === 0) {
    return `no node is left for ${provider}: the runtime itself computes the outputs when it loads the model`;
  }
  const others = placed.filter((one) => one.provider !== provider);
  if (others.length === 0) return "";
  const named = others.slice(0, 3).map((one) => `${one.node}${one.operator ? ` (${one.operator})` : ""} on ${one.provider}`);
  const more = others.length > 3 ? ", …" : "";
  return `${others.length} of ${placed.length} nodes are not on ${provider}: ${named.join(", ")}${more}`;
}
