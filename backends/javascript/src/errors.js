// Errors that contain the answer to the request that failed.

/** A failure of the backend, of one of the protocol's kinds. */
export function failed(kind, message, fields = {}) {
  const error = { kind, message: message.slice(0, 32768), ...fields };
  return Object.assign(new Error(message), { answer: { answer: "failed", error } });
}

/** The refusal of an invalid request. */
export function refused(reason, message) {
  return Object.assign(new Error(message), { answer: { answer: "refused", reason, message } });
}
