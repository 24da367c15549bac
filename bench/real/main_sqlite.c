/* main_sqlite.c - runs the SQL script argv[1] argv[2] times in a database in
   memory and prints every row. */
#include <stdio.h>
#include <stdlib.h>
#include "sqlite3.h"

static int print_row(void *user, int count, char **values, char **names) {
    (void)user, (void)names;
    for (int i = 0; i < count; i++) printf("%s%c", values[i] ? values[i] : "NULL", i + 1 < count ? '|' : '\n');
    return 0;
}

int main(int argc, char **argv) {
    static char script[1 << 16];
    FILE *file = argc > 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) return fprintf(stderr, "usage: sqlite SCRIPT TIMES\n"), 1;
    script[fread(script, 1, sizeof script - 1, file)] = 0;
    fclose(file);
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
    for (int i = 0; i < atoi(argv[2]); i++) {
        char *message = NULL;
        if (sqlite3_exec(db, script, print_row, NULL, &message) != SQLITE_OK) return fprintf(stderr, "%s\n", message), 1;
    }
    return sqlite3_close(db) != SQLITE_OK;
}
