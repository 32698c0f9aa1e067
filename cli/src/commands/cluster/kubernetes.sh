# Everything as YAML: written, or given to kubectl.
set -euo pipefail
documents() {
    cat <<'END'
@documents@END
}
[ "$1" = print ] || command -v kubectl >/dev/null || { echo "alea: kubectl is needed, and is not there" >&2; exit 1; }
case $1 in
print) documents ;;
status) kubectl get jobs -l alea-run=@run@ ;;
cancel) kubectl delete jobs -l alea-run=@run@ ;;
submit) documents | kubectl apply -f - ;;
# All jobs anew, whose tasks find what is done.
resubmit) kubectl delete jobs -l alea-run=@run@ && documents | kubectl apply -f - ;;
esac
