# Tells how far each step is: by the marks, by the queue, and by the logs of tasks that are in neither.

# What the log of a task says last, where a job that had it is gone without a word of its own: Slurm writes why (a time limit, memory,
# a node, scancel).
gone() {
    local job step offset log found=
    while read -r job step offset; do
        [ "$step" = "$1" ] || continue
        for log in "$directory/log/$1.$job" "$directory/log/$1.${job}_$(($2 - offset))"; do
            if [ -s "$log" ]; then found=$(tail -n 1 "$log"); fi
        done
    done <"$directory/jobs"
    [ -z "$found" ] || printf '\n  task %s is gone: %s' "$2" "$found"
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
            elif [ -s "$directory/jobs" ]; then
                failures+=$(gone "$name" $task)
            fi
        done
        count=$((tasks[$name] - $(missing "$name" | wc -l)))
        awk -v seconds=$((seconds * cores[$name])) -v text="$name: $count of ${tasks[$name]} tasks done" -v queue="$running running, $waiting waiting" \
            'BEGIN { printf "%s in %.2f core-hours; %s", text, seconds / 3600, queue }'
        echo "$failures"
    done
}

