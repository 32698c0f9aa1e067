# The tasks of a run: submitted to Slurm, told, cancelled, or done on this machine. What is done the marks in done/ say, the queue
# is asked for the rest. A step with more tasks than an array may have is several arrays, which count from an offset.
set -euo pipefail
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

# Submits a job, whose number is $job then; where it is only told, a name of it.
sent=0
send() {
    sent=$((sent + 1))
    if [ $verb = print ]; then
        job=\$job$sent
        echo "job$sent=\$(sbatch --parsable $*)"
    else
        job=$(sbatch --parsable "$@")
        job=${job%%;*}
    fi
}
joined() { local IFS=:; echo "$*"; }
# Numbers in order as Slurm writes them: 0-3,5.
ranges() {
    printf '%s\n' "$@" | awk 'NR > 1 && $1 == last + 1 { last = $1; next }
        NR > 1 { printf "%s", first == last ? first "," : first "-" last "," } { first = last = $1 }
        END { print first == last ? first : first "-" last }'
}

submit_all() {
    local name before todo task at left=0 done=0 offset part words waits
    local limits
    limits=$(scontrol show config 2>/dev/null) || limits=
    limit() { awk -v key="$1" '$1 == key { print $3 }' <<<"$limits"; }
    array=${array:-$(limit MaxArraySize)} submit=${submit:-$(limit MaxJobCount)}
    array=${array:-1001}
    local room=$((${submit:-10000} - 1))
    for name in "${names[@]}"; do
        waits=
        for before in ${after[$name]}; do waits+=${again[$before]:-}; done
        # What waits for a job that will not end well begins anew.
        [ -z "$waits" ] || [ -z "${jobs[$name]:-}" ] || { scancel ${jobs[$name]} && jobs[$name]=; }
        todo=()
        for task in $(missing "$name"); do
            if [ -n "$waits" ] || [ -z "${state[$name.$task]:-}" ]; then todo+=("$task"); fi
        done
        [ ${#todo[@]} = 0 ] || again[$name]=yes
        waits=
        for before in ${after[$name]}; do waits+=" ${jobs[$before]:-}"; done
        at=0
        while [ $at -lt ${#todo[@]} ] && [ $left = 0 ] && [ $room -gt 0 ]; do
            offset=$((todo[at] / array * array)) part=()
            while [ $at -lt ${#todo[@]} ] && [ $((todo[at] - offset)) -lt "$array" ] && [ $room -gt 0 ]; do
                part+=($((todo[at] - offset)))
                at=$((at + 1)) room=$((room - 1))
            done
            words=(--kill-on-invalid-dep=yes)
            [ -z "${waits// /}" ] || words+=("--dependency=afterok:$(joined $waits)")
            if [ "${numbered[$name]}" = true ]; then
                words+=("--array=$(ranges "${part[@]}")$([ "${throttle[$name]}" = 0 ] || echo "%${throttle[$name]}")")
            fi
            send "${words[@]}" "$directory/$name.sh" "$offset"
            done=$((done + ${#part[@]}))
            jobs[$name]+=" $job"
            [ $verb = print ] || echo "$job $name $offset" >>"$directory/jobs"
        done
        left=$((left + ${#todo[@]} - at))
    done
    if [ $left -gt 0 ]; then
        # As many as the queue holds; the last job submits the rest.
        send "--dependency=afterok:$(joined ${jobs[*]})" "--output=$directory/log/rest.%j" "$directory/rest.sh"
    fi
    [ $verb = print ] || echo "$done tasks submitted, $left left to the last job of them"
}

tell() {
    local name task count seconds running waiting failures
    for name in "${names[@]}"; do
        seconds=0 running=0 waiting=0 failures=
        for ((task = 0; task < tasks[$name]; task++)); do
            if [ -e "$directory/done/$name.$task" ]; then
                read -r count _ <"$directory/done/$name.$task"
                seconds=$((seconds + count))
            elif [ -n "${state[$name.$task]:-}" ]; then
                if [ "${state[$name.$task]}" = PENDING ]; then waiting=$((waiting + 1)); else running=$((running + 1)); fi
            elif [ -e "$directory/failed/$name.$task" ]; then
                failures+=$'\n'"  task $task failed: $(cat "$directory/failed/$name.$task")"
            fi
        done
        count=$((tasks[$name] - $(missing "$name" | wc -l)))
        awk -v seconds=$((seconds * cores[$name])) -v text="$name: $count of ${tasks[$name]} tasks done" -v queue="$running running, $waiting waiting" \
            'BEGIN { printf "%s in %.2f core-hours; %s", text, seconds / 3600, queue }'
        echo "$failures"
    done
    if [ -s "$directory/jobs" ]; then
        sacct --format=JobID%20,JobName%40,State%20,Elapsed,MaxRSS --jobs="$(cut -d' ' -f1 "$directory/jobs" | paste -sd,)" 2>/dev/null || true
    fi
}

# A step after the other, as many tasks at a time as there are cores for.
here() {
    local name slots threads=$2
    export SLURM_ARRAY_TASK_ID=0
    # The group of processes is this run's own: once who began it is gone, all end in good order.
    (while kill -0 $PPID; do sleep 1; done; kill -TERM 0) >/dev/null 2>&1 &
    watch=$!
    trap 'kill $watch 2>/dev/null || true' EXIT
    for name in "${names[@]}"; do
        slots=$((threads / cores[$name]))
        if [ $slots -lt 1 ]; then slots=1; fi
        missing "$name" | xargs -r -P $slots -I{} bash -c 'bash "$0.sh" {} </dev/null >>"$1.{}" 2>&1 || exit 255' "$directory/$name" "$directory/log/$name" || {
            echo "alea: $name: $(tail -qn 1 "$directory"/log/"$name".* | grep -m 1 '^alea: ' | cut -c7-); the logs are in $directory/log" >&2
            exit 1
        }
    done
}

case $verb in
print | submit | resubmit) submit_all ;;
cancel) [ -z "${jobs[*]}" ] || scancel ${jobs[*]} ;;
status) tell ;;
local) here "$@" && tell ;;
esac
