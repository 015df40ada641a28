#!/usr/bin/env bash
# The steps of the action: `run.sh build` builds the program and workers, `run.sh run` runs a command with them.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"

# The program and the workers of the backends in BACKENDS; the reference is always among them.
build() {
  local targets=(--bin onnx-conformance --bin onnx-worker-reference)
  for backend in ${BACKENDS:-}; do
    targets+=(--bin "onnx-worker-$backend")
  done
  cargo build --workspace --manifest-path "$root/Cargo.toml" "${targets[@]}"
}

# Runs COMMAND (quoted as in a shell) with reports in OUT, adds the summary to the job, and ends with the command's exit code.
run() {
  local program="${PROGRAM:-$root/target/debug/onnx-conformance}" words=() code=0
  readarray -t words < <(xargs -n 1 <<< "$COMMAND")
  case "${words[0]:-}" in
    gate) words+=(--format github --out "$OUT") ;;
    conformance | compare | bench | merge) words+=(--out "$OUT") ;;
    '') echo "error: the input \`command\` is empty" >&2; exit 2 ;;
  esac
  "$program" "${words[@]}" || code=$?
  if [[ -n "${GITHUB_STEP_SUMMARY:-}" && -f "$OUT/summary.md" ]]; then
    cat "$OUT/summary.md" >> "$GITHUB_STEP_SUMMARY"
  fi
  if [[ -n "${GITHUB_OUTPUT:-}" ]]; then
    printf 'exit-code=%s\nreport=%s\n' "$code" "$OUT" >> "$GITHUB_OUTPUT"
  fi
  exit "$code"
}

case "${1:-}" in
  build | run) "$1" ;;
  *) echo "usage: run.sh build|run" >&2; exit 2 ;;
esac
