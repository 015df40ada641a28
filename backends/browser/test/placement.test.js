// The lines of a load are read as the runtime wrote them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { elsewhere, placement } from "../page/placement.js";

const GPU = "WebGpuExecutionProvider";
const AT = "2026-11-26 06:38:19.387474 [V:onnxruntime:, session_state.cc:1380 VerifyEachNodeIsAssignedToAnEp]";
const MIXED = [
  `${AT} Node placements`,
  `${AT}  Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1`,
  `${AT}   Hardmax (hm)`,
  `${AT}  Node(s) placed on [${GPU}]. Number of nodes: 2`,
  `${AT}   Abs ()`,
  `${AT}   MemcpyToHost (Memcpy)`,
];

for (const [lines, placed, words] of [
  [[`${AT}  All nodes placed on [${GPU}]. Number of nodes: 2`], [["node 1", GPU], ["node 2", GPU]], ""],
  [
    MIXED,
    [["hm", "CPUExecutionProvider"], ["Abs", GPU], ["Memcpy", GPU]],
    `1 of 3 nodes are not on ${GPU}: hm (Hardmax) on CPUExecutionProvider`,
  ],
  [
    [`${AT}  All nodes placed on [CPUExecutionProvider]. Number of nodes: 1`],
    [["node 1", "CPUExecutionProvider"]],
    `1 of 1 nodes are not on ${GPU}: node 1 on CPUExecutionProvider`,
  ],
  [[], [], `no node is left for ${GPU}: the runtime itself computes the outputs when it loads the model`],
  [
    ["Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1"],
    [],
    `no node is left for ${GPU}: the runtime itself computes the outputs when it loads the model`,
  ],
]) {
  test(`${lines.length} lines: ${words || "all on the GPU"}`, () => {
    const found = placement(lines);
    assert.deepEqual(found.map(({ node, provider }) => [node, provider]), placed);
    assert.equal(elsewhere(GPU, found), words);
  });
}

test("a model with any node elsewhere is not taken", () => {
  for (let bits = 0; bits < 1024; bits += 1) {
    const placed = Array.from({ length: 10 }, (_, at) => ({ node: `n${at}`, provider: (bits >> at) & 1 ? "cpu" : GPU }));
    assert.equal(elsewhere(GPU, placed) === "", bits === 0);
  }
});
