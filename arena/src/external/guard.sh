# Kills what programs have left, once its input ends: $1 is the number of who started them.
trap '' HUP INT TERM
groups=
while read -r line; do groups=$line; done
for group in $groups; do kill -9 -- "-$group"; done
for found in $(grep -lsz "^ALEA_PROGRAM=$1\\." /proc/[0-9]*/environ); do
    found=${found#/proc/}
    kill -9 "${found%/environ}"
done
