# wine.sh WINE PROGRAM - mingw's gcc puts .exe behind the name that make asked for.
exec "$1" "$2.exe"
