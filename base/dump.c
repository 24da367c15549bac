/* dump.c - the .brst container. */
#include "base/dump.h"
#include "base/elf.h"
#include "base/tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { VERSION = 1, HEADER_BYTES = 16, CRC_BYTES = 4, END_BYTES = 2 + 8 + 4 };

static const unsigned char magic[4] = {'B', 'R', 'S', 'T'};

/* Half a byte at a time, so that the table is short. */
uint32_t dump_crc(uint32_t crc, const unsigned char *data, size_t size) {
    static const uint32_t table[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
        0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
    };
    crc = ~crc;
    for (; size; size--, data++) {
        crc = table[(crc ^ *data) & 15] ^ (crc >> 4);
        crc = table[(crc ^ (*data >> 4)) & 15] ^ (crc >> 4);
    }
    return ~crc;
}

static uint64_t get_bytes(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    while (bytes--) value = value << 8 | at[bytes];
    return value;
}

static void set_bytes(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes--; value >>= 8) *at++ = (unsigned char)value;
}

/* ---- reading ---------------------------------------------------------------------------- */

/* Reads the part that starts at part->offset. Every length is compared with
   what is left before it is used. */
static int read_part(dump_part *part, const unsigned char *data, size_t size, dump_fault *fault) {
    size_t at = part->offset, left = size - at, room = 0;
    uint32_t crc, version;
    if (memcmp(data + at, magic, left < 4 ? left : 4) != 0)
        return dump_refuse(fault, at, at ? "not a .brst part" : "not a .brst file");
    if (left < HEADER_BYTES) return dump_refuse(fault, size, "cut short in the header of a part");
    version = (uint32_t)get_bytes(data + at + 4, 2);
    if (version > VERSION)
        return dump_refuse(fault, at + 4, "unsupported version %lu", (unsigned long)version);
    crc = dump_crc(0, data + at, HEADER_BYTES - CRC_BYTES);
    if (get_bytes(data + at + 12, 4) != crc)
        return dump_refuse(fault, at + 12, "checksum error in a part's header");
    if (version == 0) return dump_refuse(fault, at + 4, "unsupported version 0");
    if (get_bytes(data + at + 8, 4) != 0) return dump_refuse(fault, at + 8, "unsupported flags");
    part->kind = (uint32_t)get_bytes(data + at + 6, 2);
    for (at += HEADER_BYTES;;) {
        size_t length;
        left = size - at;
        if (left < 2)
            return dump_refuse(fault, size,
                               "cut short: the part that starts at offset %lu has no end",
                               (unsigned long)part->offset);
        length = (size_t)get_bytes(data + at, 2);
        if (length == 0) break;
        if (left < 2 + length + CRC_BYTES)
            return dump_refuse(fault, size, "cut short in a chunk of %lu bytes",
                               (unsigned long)length);
        crc = dump_crc(crc, data + at, 2 + length);
        if (get_bytes(data + at + 2 + length, 4) != crc)
            return dump_refuse(fault, at + 2 + length, "checksum error in a chunk");
        if (room - part->size < length) {
            room = 2 * room + length;
            part->payload = (unsigned char *)tool_grow(part->payload, room);
        }
        memcpy(part->payload + part->size, data + at + 2, length);
        part->size += length;
        at += 2 + length + CRC_BYTES;
    }
    if (left < END_BYTES) return dump_refuse(fault, size, "cut short in the end of a part");
    crc = dump_crc(crc, data + at, END_BYTES - CRC_BYTES);
    if (get_bytes(data + at + 10, 4) != crc)
        return dump_refuse(fault, at + 10, "checksum error in a part's end");
    if (get_bytes(data + at + 2, 8) != part->size)
        return dump_refuse(fault, at + 2, "the part's recorded size does not match its data");
    part->bytes = at + END_BYTES - part->offset;
    return 0;
}

int dump_read(dump *d, const unsigned char *data, size_t size, dump_fault *fault) {
    size_t at = 0, room = 0;
    memset(d, 0, sizeof *d);
    d->data = data;
    if (size == 0) return dump_refuse(fault, 0, "empty file");
    while (at < size) {
        TOOL_ROOM(dump_part, d->parts, d->part_count, room);
        memset(&d->parts[d->part_count], 0, sizeof *d->parts);
        d->parts[d->part_count].offset = at;
        if (read_part(&d->parts[d->part_count++], data, size, fault) != 0) {
            dump_free(d);
            return -1;
        }
        at += d->parts[d->part_count - 1].bytes;
    }
    return 0;
}

/* `bursty record` writes FILE.new and gives it its name at the end. */
static int is_unfinished(const char *path) {
    text name = {NULL, 0, 0};
    struct stat status;
    FILE *unfinished;
    if (stat(path, &status) == 0 || errno != ENOENT) return 0; /* not opened: it may be a pipe */
    text_add(&name, path);
    text_add(&name, ".new");
    text_bytes(&name, "", 1);
    unfinished = fopen(name.data, "rb");
    text_free(&name);
    if (unfinished) fclose(unfinished);
    return unfinished != NULL;
}

/* Finds the section of tables in an ELF file. Returns 0, or -1 with *fault
   filled. */
static int find_tables(const unsigned char *data, size_t size, elf_section *found,
                       dump_fault *fault) {
    elf_file e;
    elf_section names, s;
    uint64_t i;
    if (elf_begin(&e, data, size, fault) != 0 || elf_find_sections(&e, fault) != 0) return -1;
    if (e.section_count && elf_get_section(&e, e.names_index, &names, fault) != 0) return -1;
    for (i = 1; i < e.section_count; i++) {
        if (elf_get_section(&e, i, &s, fault) != 0) return -1;
        if (!elf_name_is(&e, &names, s.name, ".bursty.cover")) continue;
        if (s.flags & ELF_COMPRESSED)
            return dump_refuse(fault, 0, "its section of coverage is compressed");
        if (s.type == ELF_NO_BYTES || !elf_holds(&e, s.offset, s.size)) continue;
        *found = s;
        return 0;
    }
    return dump_refuse(fault, 0, "is a program without tables of bursty cc --cover");
}

/* A program or an object carries tables of coverage: they are parts of a
   dump. */
static int open_program(dump *d, const char *path) {
    size_t size;
    unsigned char *data = tool_read_file(path, NULL, &size);
    elf_section tables;
    dump_fault fault;
    int status = -1;
    if (!data) return TOOL_BAD_INPUT;
    memset(&tables, 0, sizeof tables);
    if (find_tables(data, size, &tables, &fault) == 0) {
        status = dump_read(d, data + tables.offset, (size_t)tables.size, &fault);
        if (status != 0) fault.offset += (size_t)tables.offset;
    }
    if (status != 0) {
        free(data);
        return dump_blame(path, &fault);
    }
    d->owned = data;
    d->is_program = 1;
    return TOOL_OK;
}

int (*dump_name_places)(const unsigned char *data, size_t size, text *out);

/* Puts names in place of the places in a whole dump. */
static void name_places(dump *d, unsigned char **data, size_t size) {
    text named = {NULL, 0, 0};
    dump_fault fault;
    if (!dump_name_places || dump_name_places(*data, size, &named) != 0) return;
    dump_free(d);
    free(*data);
    *data = (unsigned char *)named.data;
    (void)dump_read(d, *data, named.size, &fault);
}

int dump_open(dump *d, const char *path) {
    size_t size;
    unsigned char *data;
    dump_fault fault;
    if (is_unfinished(path))
        return tool_error("%s: there is no such file, but a %s.new: who writes it still runs, or "
                          "was killed",
                          path, path);
    data = tool_read_file(path, "BRST", &size);
    if (!data) return TOOL_BAD_INPUT;
    if (strcmp(path, "-") != 0 && elf_is(data, size)) {
        free(data);
        return open_program(d, path);
    }
    if (dump_read(d, data, size, &fault) != 0) {
        free(data);
        return dump_blame(path, &fault);
    }
    name_places(d, &data, size);
    d->owned = data;
    return TOOL_OK;
}

void dump_free(dump *d) {
    size_t i;
    free(d->owned);
    for (i = 0; i < d->part_count; i++) free(d->parts[i].payload);
    free(d->parts);
    memset(d, 0, sizeof *d);
}

size_t dump_place(const dump *d, const dump_part *part, size_t at) {
    size_t chunk = part->offset + HEADER_BYTES;
    for (;;) {
        size_t length = (size_t)get_bytes(d->data + chunk, 2);
        if (at < length || length == 0) return length ? chunk + 2 + at : chunk;
        at -= length;
        chunk += 2 + length + CRC_BYTES;
    }
}

dump_reader dump_fields(const dump *d, const dump_part *part) {
    dump_reader r = {NULL, 0, 0, NULL, NULL};
    r.data = part->payload;
    r.size = part->size;
    r.names = d->names;
    return r;
}

static void reader_fault(dump_reader *r, const char *reason) {
    if (!r->reason) r->reason = reason;
}

uint64_t dump_get(dump_reader *r) {
    uint64_t value = 0;
    size_t at = r->at;
    unsigned shift;
    if (r->reason) return 0;
    for (shift = 0; shift < 70; shift += 7) {
        unsigned byte;
        if (at == r->size) {
            reader_fault(r, "the part ends in the middle of a record");
            return 0;
        }
        byte = r->data[at++];
        if (shift == 63 && byte > 1) break;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            r->at = at;
            return value;
        }
    }
    reader_fault(r, "a number of more than 64 bits");
    return 0;
}

uint32_t dump_get32(dump_reader *r) {
    size_t at = r->at;
    uint64_t value = dump_get(r);
    if (value <= UINT32_MAX) return (uint32_t)value;
    r->at = at;
    reader_fault(r, "a number of more than 32 bits");
    return 0;
}

const unsigned char *dump_get_string(dump_reader *r, size_t *size) {
    size_t at = r->at;
    uint64_t length = dump_get(r);
    const unsigned char *string = r->at > 0 ? r->data + r->at : r->data; /* NULL: no bytes */
    *size = 0;
    if (r->reason) return string;
    if (length > r->size - r->at) {
        r->at = at;
        reader_fault(r, "a string longer than what is left of its part");
        return string;
    }
    *size = (size_t)length;
    r->at += *size;
    if (r->names && memchr(string, 1, *size))
        string = r->names->words(r->names->user, string, *size, size);
    return string;
}

char *dump_get_name(dump_reader *r) {
    size_t size;
    const unsigned char *name = dump_get_string(r, &size);
    return text_name(name, r->reason ? 0 : size);
}

/* ---- writing ---------------------------------------------------------------------------- */

static void put_checked(dump_writer *w, const unsigned char *bytes, size_t size) {
    unsigned char crc[CRC_BYTES];
    w->crc = dump_crc(w->crc, bytes, size);
    set_bytes(crc, w->crc, CRC_BYTES);
    text_bytes(w->out, bytes, size);
    text_bytes(w->out, crc, CRC_BYTES);
}

static void put_chunk(dump_writer *w) {
    unsigned char chunk[2 + sizeof w->chunk];
    if (w->used == 0) return;
    set_bytes(chunk, w->used, 2);
    memcpy(chunk + 2, w->chunk, w->used);
    put_checked(w, chunk, 2 + w->used);
    w->used = 0;
}

void dump_begin(dump_writer *w, text *out, uint32_t kind) {
    unsigned char header[HEADER_BYTES - CRC_BYTES] = {0};
    memset(w, 0, sizeof *w);
    w->out = out;
    memcpy(header, magic, sizeof magic);
    set_bytes(header + 4, VERSION, 2);
    set_bytes(header + 6, kind, 2);
    put_checked(w, header, sizeof header);
}

void dump_put_bytes(dump_writer *w, const void *bytes, size_t size) {
    const unsigned char *from = (const unsigned char *)bytes;
    w->total += size;
    while (size) {
        size_t piece = sizeof w->chunk - w->used;
        if (piece > size) piece = size;
        memcpy(w->chunk + w->used, from, piece);
        w->used += piece;
        from += piece;
        size -= piece;
        if (w->used == sizeof w->chunk) put_chunk(w);
    }
}

void dump_put(dump_writer *w, uint64_t number) {
    unsigned char bytes[10];
    size_t used = 0;
    for (; number > 127; number >>= 7) bytes[used++] = (unsigned char)(number | 128);
    bytes[used++] = (unsigned char)number;
    dump_put_bytes(w, bytes, used);
}

void dump_put_string(dump_writer *w, const char *string) {
    size_t size = strlen(string);
    dump_put(w, size);
    dump_put_bytes(w, string, size);
}

void dump_put_eight(dump_writer *w, uint64_t number) {
    unsigned char bytes[8];
    set_bytes(bytes, number, 8);
    dump_put_bytes(w, bytes, sizeof bytes);
}

void dump_end(dump_writer *w) {
    unsigned char end[END_BYTES - CRC_BYTES] = {0};
    put_chunk(w);
    set_bytes(end + 2, w->total, 8);
    put_checked(w, end, sizeof end);
}
