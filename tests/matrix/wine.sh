# wine.sh WINE PROGRAM - mingw's gcc puts .exe behind the name that make asked for. A client that cannot
# reach wine's server has not run the program: it is started once more.
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
"$1" "$2.exe" >"$out" 2>&1
code=$?
if grep -q '^wine client error' "$out"; then
    "$1" "$2.exe" >"$out" 2>&1
    code=$?
fi
cat "$out"
exit $code
