# wine.sh WINE PROGRAM [ARGUMENT...] - mingw's gcc puts .exe behind the name that make asked for. A client that cannot
# reach wine's server has not run the program: it is started once more.
wine=$1 program=$2
shift 2
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
"$wine" "$program.exe" "$@" >"$out" 2>&1
code=$?
if grep -q '^wine client error' "$out"; then
    "$wine" "$program.exe" "$@" >"$out" 2>&1
    code=$?
fi
cat "$out"
exit $code
