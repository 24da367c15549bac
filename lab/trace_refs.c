/* trace_refs.c - reading recorded references. */
#include "lab/trace_refs.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 16 };

static uint64_t little(const unsigned char *b, int bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) {
        value = value << 8 | b[bytes];
    }
    return value;
}

static int read_table(trace_refs *t, const char *path) {
    size_t size, i;
    unsigned char *data = tool_read_file(path, NULL, &size);
    if (!data) {
        return TOOL_BAD_INPUT;
    }
    if (size % 16) {
        free(data);
        return tool_error(
            "%s: offset %llu: a row is cut short", path, (unsigned long long)(size - size % 16));
    }
    t->row_count = size / 16;
    t->rows = (trace_refs_row *)tool_alloc((t->row_count + 1) * sizeof *t->rows);
    for (i = 0; i < t->row_count; i++) {
        t->rows[i].pc = little(data + 16 * i, 8);
        t->rows[i].address = little(data + 16 * i + 8, 8);
    }
    free(data);
    return TOOL_OK;
}

int trace_refs_pairs(trace_refs *t, const char *table) {
    size_t i;
    int status;
    free(t->rows);
    t->rows = NULL;
    status = read_table(t, table);
    for (i = 0; status == TOOL_OK && i < t->row_count; i++) {
        uint64_t caller = t->rows[i].pc;
        t->rows[i].pc = t->rows[i].address;
        t->rows[i].address = caller;
    }
    return status;
}

int trace_refs_open(trace_refs *t, const char *path, const char *table, int is_lackey) {
    memset(t, 0, sizeof *t);
    t->name = path;
    t->is_lackey = is_lackey;
    if (table) {
        int status = read_table(t, table);
        if (status != TOOL_OK) {
            return status;
        }
    }
    t->file = strcmp(path, "-") == 0 ? tool_binary(stdin) : fopen(path, "rb");
    if (!t->file) {
        free(t->rows);
        return tool_system_error(path);
    }
    t->buffer = (unsigned char *)tool_alloc(BUFFER);
    return TOOL_OK;
}

void trace_refs_close(trace_refs *t) {
    if (t->file && t->file != stdin) {
        fclose(t->file);
    }
    free(t->rows);
    free(t->row_slots);
    free(t->buffer);
    memset(t, 0, sizeof *t);
}

/* Up to `wanted` bytes more, as one piece at buffer + used. Returns how many
   there are. */
static size_t need(trace_refs *t, size_t wanted) {
    if (t->filled - t->used < wanted) {
        memmove(t->buffer, t->buffer + t->used, t->filled - t->used);
        t->filled -= t->used;
        t->used = 0;
        while (t->filled < wanted) {
            size_t got = fread(t->buffer + t->filled, 1, BUFFER - t->filled, t->file);
            if (got == 0) {
                break;
            }
            t->filled += got;
        }
    }
    return t->filled - t->used;
}

/* ---- lackey ---- */

static int hex(int c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int trace_refs_lackey_line(const char *line, uint64_t *address, uint64_t *size) {
    const char *at = line;
    char kind;
    int digits = 0;
    while (*at == ' ') {
        at++;
    }
    if (!*at || strncmp(at, "==", 2) == 0 || strncmp(at, "--", 2) == 0 ||
        strncmp(at, "**", 2) == 0) {
        return 0;
    }
    kind = *at++;
    if (kind != 'I' && kind != 'L' && kind != 'S' && kind != 'M') {
        return -1;
    }
    if (*at++ != ' ') {
        return -1;
    }
    while (*at == ' ') {
        at++;
    }
    for (*address = 0; hex(*at) >= 0; at++) {
        if (++digits > 16) {
            return -1;
        }
        *address = *address << 4 | (uint64_t)hex(*at);
    }
    if (digits == 0 || *at++ != ',') {
        return -1;
    }
    for (*size = 0, digits = 0; *at >= '0' && *at <= '9'; at++) {
        if (++digits > 6) {
            return -1;
        }
        *size = *size * 10 + (uint64_t)(*at - '0');
    }
    return digits == 0 || *at ? -1 : kind;
}

static size_t row_place(const trace_refs *t, uint64_t pc, uint64_t address) {
    uint64_t hash = (pc * UINT64_C(0x9E3779B97F4A7C15) ^ address) * UINT64_C(0xD6E8FEB86659FD93);
    size_t last = t->row_slot_count - 1, at = (size_t)(hash >> 20) & last;
    for (; t->row_slots[at]; at = (at + 1) & last) {
        const trace_refs_row *row = &t->rows[t->row_slots[at] - 1];
        if (row->pc == pc && row->address == address) {
            break;
        }
    }
    return at;
}

static uint32_t row_number(trace_refs *t, uint64_t pc, uint64_t address) {
    size_t at, i;
    if (2 * t->row_count >= t->row_slot_count) {
        t->row_slot_count = t->row_slot_count ? 2 * t->row_slot_count : 1 << 16;
        free(t->row_slots);
        t->row_slots = (uint32_t *)tool_alloc(t->row_slot_count * sizeof *t->row_slots);
        memset(t->row_slots, 0, t->row_slot_count * sizeof *t->row_slots);
        for (i = 0; i < t->row_count; i++) {
            t->row_slots[row_place(t, t->rows[i].pc, t->rows[i].address)] = (uint32_t)i + 1;
        }
    }
    at = row_place(t, pc, address);
    if (t->row_slots[at]) {
        return t->row_slots[at] - 1;
    }
    TOOL_ROOM(trace_refs_row, t->rows, t->row_count, t->row_room);
    t->rows[t->row_count].pc = pc;
    t->rows[t->row_count].address = address;
    t->row_slots[at] = (uint32_t)++t->row_count;
    return t->row_slots[at] - 1;
}

/* A jump backwards, by an instruction that does not follow the one before, is
   taken for a check: lackey tells neither calls nor loops. */
static int next_of_lackey(trace_refs *t, int *kind, uint32_t *number) {
    for (;;) {
        size_t there = need(t, 256), length;
        char line[256];
        unsigned char *end;
        uint64_t address = 0, size = 0;
        int what;
        if (there == 0) {
            *kind = TRACE_END;
            return TOOL_OK;
        }
        end = (unsigned char *)memchr(t->buffer + t->used, '\n', there);
        length = end ? (size_t)(end - (t->buffer + t->used)) : there;
        if (!end && t->buffer[t->used] != '=' && t->buffer[t->used] != '-') {
            return tool_error("%s: line %llu: the line is cut short or too long", t->name,
                (unsigned long long)t->line + 1);
        }
        if (length > 255) {
            length = 255;
        }
        memcpy(line, t->buffer + t->used, length);
        line[length] = 0;
        if (length && line[length - 1] == '\r') {
            line[length - 1] = 0;
        }
        t->used += end ? length + 1 : there;
        t->line++;
        while (!end && there == 256) { /* the rest of a long line of valgrind's own */
            there = need(t, 256);
            end = (unsigned char *)memchr(t->buffer + t->used, '\n', there);
            t->used += end ? (size_t)(end - (t->buffer + t->used)) + 1 : there;
        }
        what = trace_refs_lackey_line(line, &address, &size);
        if (what < 0) {
            return tool_error("%s: line %llu: not a line of valgrind --tool=lackey --trace-mem=yes",
                t->name, (unsigned long long)t->line);
        }
        if (what == 'I') {
            int back = address < t->pc && address != t->pc_end;
            t->pc = address;
            t->pc_end = address + size;
            if (back) {
                *kind = TRACE_BACKEDGE;
                *number = 0;
                return TOOL_OK;
            }
        } else if (what) {
            *kind = TRACE_REFERENCE;
            *number = row_number(t, t->pc, address);
            return TOOL_OK;
        }
    }
}

int trace_refs_next(trace_refs *t, int *kind, uint32_t *number) {
    size_t there;
    uint32_t word;
    if (t->is_lackey) {
        return next_of_lackey(t, kind, number);
    }
    there = need(t, 4);
    if (there == 0) {
        *kind = TRACE_END;
        return ferror(t->file) ? tool_system_error(t->name) : TOOL_OK;
    }
    if (there < 4) {
        return tool_error(
            "%s: offset %llu: an event is cut short", t->name, (unsigned long long)t->offset);
    }
    word = (uint32_t)little(t->buffer + t->used, 4);
    t->used += 4;
    *number = word & 0x3FFFFFFF;
    if (word < 0x80000000u) {
        *kind = TRACE_REFERENCE;
        *number = word;
        if (word == 0x7FFFFFFF || (t->rows && word >= t->row_count)) {
            return tool_error("%s: offset %llu: reference %llu is not in the table", t->name,
                (unsigned long long)t->offset, (unsigned long long)word);
        }
    } else if (word < 0xC0000000u) {
        *kind = TRACE_CALL;
    } else if (word < 0xE0000000u) {
        *kind = TRACE_BACKEDGE;
        *number = word & 0x1FFFFFFF;
    } else if (word == 0xE0000000u) {
        *kind = TRACE_RETURN;
    } else {
        return tool_error("%s: offset %llu: no event has the number %llx", t->name,
            (unsigned long long)t->offset, (unsigned long long)word);
    }
    t->offset += 4;
    return TOOL_OK;
}
