// Ends a worker whose harness is gone, also during a run: a thread of its own looks for the parent process.
import { Worker } from "node:worker_threads";

const WATCH = `
const { workerData } = require("node:worker_threads");
setInterval(() => {
  if (process.ppid !== workerData) setTimeout(() => process.kill(process.pid, "SIGKILL"), 10000);
}, 1000);
`;

/** The process ends about ten seconds after its parent. */
export function endWithParent() {
  new Worker(WATCH, { eval: true, workerData: process.ppid }).unref();
}
