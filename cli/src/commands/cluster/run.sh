case $verb in
print | submit | resubmit) submit_all ;;
cancel) [ -z "${jobs[*]}" ] || scancel ${jobs[*]} ;;
status) tell ;;
local) here "$@" && tell ;;
esac
