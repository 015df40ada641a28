#!/bin/bash
# Runs array.sh on a Slurm cluster of two node daemons on this machine, ends one node in the middle,
# and compares the merged report with that of a run without shards:
#   try.sh PATH_OF_onnx-conformance [OPTION...]
# Needs root and the Debian packages slurm-wlm and munge.
set -euo pipefail
program=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
PATH=$(dirname "$program"):$PATH
work=$(mktemp -d)
export SLURM_CONF=$work/slurm.conf

stop() {
  scancel --full --user=root 2>/dev/null || true
  pkill -KILL -f "slurm(ctl)?d .*$work" || true
  if [ -n "${munged:-}" ]; then kill "$munged" || true; fi
}
trap stop EXIT

cat >"$SLURM_CONF" <<CONF
ClusterName=try
SlurmctldHost=$(hostname -s)
SlurmUser=root
SlurmctldPort=16817
AuthType=auth/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
NodeName=node[1-2] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[17001-17002] CPUs=1
PartitionName=all Nodes=node[1-2] Default=YES State=UP
CONF
mkdir "$work"/{state,spool-node1,spool-node2,out}

if ! munge -n >/dev/null 2>&1; then
  install -d -o munge -g munge /run/munge
  runuser -u munge -- munged --foreground &
  munged=$!
  until munge -n >/dev/null 2>&1; do sleep 0.2; done
fi
slurmctld -f "$SLURM_CONF" -D &
for node in node1 node2; do slurmd -f "$SLURM_CONF" -N "$node" -D & done
until [ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null)" = 2 ]; do sleep 0.5; done
sinfo

job=$(sbatch --parsable --array=1-8 --output="$work/out/%A_%a.log" "$here/array.sh" "$work/out" "$@")
until [ "$(squeue --noheader --states=running | wc -l)" = 2 ]; do sleep 0.2; done
squeue
echo "node2 ends, with everything that runs on it"
lost=$(squeue --noheader --states=running --nodelist=node2 --format=%K)
pkill -KILL -f "slurmd .*-N node2" || true
for step in $(pgrep -f "slurmstepd: \[.*\]"); do
  if grep -qz 'SLURMD_NODENAME=node2' "/proc/$(pgrep -P "$step" | head -1)/environ" 2>/dev/null; then
    pkill -KILL -P "$step" || true
    kill -KILL "$step" || true
  fi
done
until sinfo --noheader --nodes=node2 --format=%t | grep -q down; do sleep 0.5; done
sinfo
# The other node runs the rest, and what was requeued.
while [ "$(squeue --noheader | wc -l)" != 0 ]; do sleep 0.5; done

echo "task $lost began again:"
cat "$work/out/${job}_$lost.log" || true
onnx-conformance -q merge "$work"/out/shard-* --out "$work/merged"
onnx-conformance -q conformance --out "$work/whole" "$@" || true
# Equal but for times: every verdict with its reason.
columns='import csv, sys
skip = {"load_ns", "run_ns"}
rows = csv.DictReader(open(sys.argv[1]))
print(*sorted(str([(k, v) for k, v in row.items() if k not in skip]) for row in rows), sep="\n")'
diff <(python3 -c "$columns" "$work/merged/results.csv") <(python3 -c "$columns" "$work/whole/results.csv")
echo "the merged report equals the report of one run: $(($(wc -l <"$work/merged/results.csv") - 1)) results"
