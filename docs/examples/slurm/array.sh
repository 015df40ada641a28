#!/bin/bash
# One part of a conformance run for each task of a job array:
#   sbatch --array=1-8 array.sh OUT [OPTION...]
# A task that is requeued starts its part again. The report of all parts is made by
#   sbatch --dependency=afterany:JOB --wrap 'onnx-conformance merge OUT/shard-* --out OUT/report'
#SBATCH --job-name=conformance
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
out=$1
shift
exec onnx-conformance conformance --shard --out "$out/shard-$SLURM_ARRAY_TASK_ID" --force "$@"
