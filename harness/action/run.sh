#!/usr/bin/env bash
# The steps of the action: `run.sh install` installs the program and its workers, `run.sh run` runs a command with them.
set -euo pipefail
venv="${RUNNER_TEMP:-/tmp}/onnx-conformance"

# Installs PACKAGE (words as in a shell) into an environment of its own.
install() {
  local packages=()
  readarray -t packages < <(xargs -n 1 <<< "$PACKAGE")
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"
}

# Runs COMMAND (quoted as in a shell) with reports in OUT, adds the summary to the job, and ends with the command's exit code.
run() {
  local program="${PROGRAM:-$venv/bin/onnx-conformance}" words=() code=0
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
  install | run) "$1" ;;
  *) echo "usage: run.sh install|run" >&2; exit 2 ;;
esac
