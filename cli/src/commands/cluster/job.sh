#!/bin/bash
#SBATCH --job-name=@run@-@step@
#SBATCH --chdir=@here@
#SBATCH --output=@directory@/log/@step@.@number@
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@@early@
#SBATCH --cpus-per-task=@cores@
@asked@
# A task of a step: done once, whoever runs it, and however often; it leaves a mark.
step=@step@ directory=@directory@ task=$((${1:-0} + ${SLURM_ARRAY_TASK_ID:-0}))
export ALEA_SHARD_OFFSET=$((@first@ + ${1:-0}))
mark=$directory/done/$step.$task
[ ! -e "$mark" ] || exit 0
again=
trap 'again=yes; kill -TERM "$child"' USR1
# Here a whole group has the signal; a second one would end the program before it cleans up.
trap '[ -n "${ALEA_SIGNALS_GROUP:-}" ] || kill -TERM "$child"' TERM
@program@ @command@ &
child=$!
# A signal ends the waiting, but not the program.
while :; do
    wait "$child"
    code=$?
    kill -0 "$child" 2>/dev/null || break
done
if [ "$code" = 0 ]; then
    echo "$SECONDS $(hostname)" >"$mark.$$" && mv "$mark.$$" "$mark" && rm -f "$directory/failed/$step.$task"
    exit
fi
# The time is over, or something killed the program and left this: it goes on where it was.
if [ -n "$again" ] || [ "$code" = 137 ]; then
    if [ -n "${SLURM_JOB_ID:-}" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt @requeues@ ]; then
        echo "$step $task: exit code $code after $SECONDS s; into the queue once more"
        scontrol requeue "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}" && sleep 60
    fi
fi
echo "exit code $code after $SECONDS s on $(hostname), job ${SLURM_JOB_ID:-none}" >"$directory/failed/$step.$task"
exit "$code"
