# Slurm: what is not done and not in the queue is submitted, each step to wait for those before it.

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

