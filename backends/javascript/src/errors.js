// Why a request has no answer of its own kind: errors that hold the answer that the request gets.

/** The backend says why not, by a kind of the protocol. */
export function failed(kind, message, fields = {}) {
  const error = { kind, message: message.slice(0, 32768), ...fields };
  return Object.assign(new Error(message), { answer: { answer: "failed", error } });
}

/** The request itself is at fault. */
export function refused(reason, message) {
  return Object.assign(new Error(message), { answer: { answer: "refused", reason, message } });
}
