# The tasks of a run: submitted to Slurm, told, cancelled, or done on this machine. What is done the marks in done/ say, the queue
# is asked for the rest. A step with more tasks than an array may have is several arrays, which count from an offset.
set -euo pipefail
[ "${BASH_VERSINFO[0]}" -ge 4 ] || { echo "alea: this is bash $BASH_VERSION, and needs 4 or newer on the PATH; on a Mac: brew install bash" >&2 && exit 1; }
verb=$1 directory=@directory@ array=@array@ submit=@submit@
declare -A tasks=() numbered=() throttle=() cores=() after=() state=() jobs=() again=()
names=()
while read -r name count is_array most threads before; do
    [ -n "$name" ] || continue
    names+=("$name")
    tasks[$name]=$count numbered[$name]=$is_array throttle[$name]=$most cores[$name]=$threads after[$name]=$before
done <<'END'
@steps@
END

missing() {
    local task
    for ((task = 0; task < tasks[$1]; task++)); do
        [ -e "$directory/done/$1.$task" ] || echo $task
    done
}

# What of the jobs that were submitted (number, step, offset) is in the queue: the state of each task, the jobs of each step.
if [ $verb != local ] && [ -s "$directory/jobs" ]; then
    [ $verb != submit ] || { echo "alea: $directory: submitted before; --status tells how it is, --resubmit submits what failed" >&2 && exit 1; }
    queue=$(squeue --me --noheader --array --format='%F %K %T')
    while read -r name task job found; do
        state[$name.$task]=$found
        [[ " ${jobs[$name]:-} " == *" $job "* ]] || jobs[$name]+=" $job"
    done < <(awk 'NR == FNR { step[$1] = $2; offset[$1] = $3; next }
        $1 in step { print step[$1], offset[$1] + ($2 == "N/A" ? 0 : $2), $1, $3 }' "$directory/jobs" - <<<"$queue")
fi

