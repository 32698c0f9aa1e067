# This machine.

# A step after the other, as many tasks at a time as there are cores for.
here() {
    local name slots threads=$2
    export SLURM_ARRAY_TASK_ID=0 ALEA_SIGNALS_GROUP=yes
    # The group of processes is this run's own: once who began it is gone, all end in good order.
    (while kill -0 $PPID; do sleep 1; done; kill -TERM 0) >/dev/null 2>&1 &
    watch=$!
    trap 'kill $watch 2>/dev/null || true' EXIT
    for name in "${names[@]}"; do
        slots=$((threads / cores[$name]))
        if [ $slots -lt 1 ]; then slots=1; fi
        missing "$name" | xargs -r -P $slots -I{} bash -c 'bash "$0.sh" {} </dev/null >>"$1.{}" 2>&1 || exit 255' "$directory/$name" "$directory/log/$name" || {
            echo "alea: $name: $(tail -qn 1 "$directory"/log/"$name".* | grep -om 1 'alea: .*' | cut -c7-); the logs are in $directory/log" >&2
            exit 1
        }
    done
}

