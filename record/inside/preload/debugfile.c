/* debugfile.c - symbols of data of a stripped file that stand elsewhere: in
   /usr/lib/debug by build id, beside the file or in /usr/lib/debug by the name
   in .gnu_debuglink, and xz-compressed in .gnu_debugdata, which liblzma opens
   if it is installed. */
#define _GNU_SOURCE 1
#include "debugfile.h"
#include "../core/recorder.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Maps a whole file. It stays mapped: this happens once, at the end. A FIFO of
   that name is not waited for. */
static int map_file(const char *path, const char **bytes_out, size_t *size_out) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    void *bytes = MAP_FAILED;
    if (size > 0) bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0) close(file);
    if (bytes == MAP_FAILED) return 0;
    *bytes_out = (const char *)bytes;
    *size_out = (size_t)size;
    return 1;
}

int debugfile_section_of(const char *file, size_t size, const char *name, debugfile_section *out) {
    Elf64_Ehdr head;
    Elf64_Shdr names, s;
    size_t length = strlen(name) + 1;
    uint32_t n;
    if (size < sizeof head || memcmp(file, ELFMAG, SELFMAG) != 0) return 0;
    memcpy(&head, file, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shoff > size
        || (size - head.e_shoff) / sizeof s < head.e_shnum || head.e_shstrndx >= head.e_shnum)
        return 0;
    memcpy(&names, file + head.e_shoff + head.e_shstrndx * sizeof s, sizeof s);
    if (names.sh_offset > size || names.sh_size > size - names.sh_offset) return 0;
    for (n = 0; n < head.e_shnum; n++) {
        memcpy(&s, file + head.e_shoff + n * sizeof s, sizeof s);
        if (s.sh_name > names.sh_size || names.sh_size - s.sh_name < length) continue;
        if (memcmp(file + names.sh_offset + s.sh_name, name, length) != 0) continue;
        if (s.sh_type == SHT_NOBITS || s.sh_offset > size || s.sh_size > size - s.sh_offset)
            return 0;
        out->bytes = (const unsigned char *)file + s.sh_offset;
        out->size = (size_t)s.sh_size;
        return 1;
    }
    return 0;
}

static int by_build_id(const char *file, size_t size, const char **bytes_out, size_t *size_out) {
    debugfile_section note;
    char path[200];
    size_t n, at;
    if (!debugfile_section_of(file, size, ".note.gnu.build-id", &note)) return 0;
    if (note.size < 17 || note.size > 80) return 0;         /* three words, "GNU", the id */
    at = (size_t)snprintf(path, sizeof path, "/usr/lib/debug/.build-id/%02x/", note.bytes[16]);
    for (n = 17; n < note.size; n++)
        at += (size_t)snprintf(path + at, sizeof path - at, "%02x", note.bytes[n]);
    snprintf(path + at, sizeof path - at, ".debug");
    return map_file(path, bytes_out, size_out);
}

/* where: 0 beside the file, 1 in .debug beside it, 2 under /usr/lib/debug. */
static int by_link(const char *file, size_t size, const char *of, int where, const char **bytes_out,
                   size_t *size_out) {
    static const char *const before[] = {"", "", "/usr/lib/debug"};
    static const char *const behind[] = {"", ".debug/", ""};
    debugfile_section link;
    const char *slash = strrchr(of, '/');
    char path[4600];
    if (!slash || !debugfile_section_of(file, size, ".gnu_debuglink", &link)) return 0;
    if (!memchr(link.bytes, 0, link.size)) return 0;
    snprintf(path, sizeof path, "%s%.*s%s%.250s", before[where], (int)(slash + 1 - of), of,
             behind[where], (const char *)link.bytes);
    if (!strcmp(path, of)) return 0;
    return map_file(path, bytes_out, size_out);
}

/* The uncompressed size is not known before: four times what failed, up to 1
   GB. */
static int by_data(const char *file, size_t size, const char **bytes_out, size_t *size_out) {
    typedef uint32_t (*decode_fn)(uint64_t *limit, uint32_t flags, const void *allocator,
                                  const uint8_t *in, size_t *in_at, size_t in_size, uint8_t *out,
                                  size_t *out_at, size_t out_size);
    enum { OUT_OF_ROOM = 10 };                              /* LZMA_BUF_ERROR */
    debugfile_section data;
    decode_fn decode;
    void *library, *symbol;
    size_t room;
    if (!debugfile_section_of(file, size, ".gnu_debugdata", &data)) return 0;
    library = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
    symbol = library ? dlsym(library, "lzma_stream_buffer_decode") : NULL;
    if (!symbol) return 0;
    memcpy(&decode, &symbol, sizeof decode);
    for (room = data.size * 8 + 65536; room < (size_t)1 << 30; room *= 4) {
        uint64_t limit = (uint64_t)1 << 28;
        size_t in_at = 0, out_at = 0;
        uint8_t *out = (uint8_t *)recorder_memory(room);
        uint32_t status;
        if (!out) return 0;
        status = decode(&limit, 0, NULL, data.bytes, &in_at, data.size, out, &out_at, room);
        if (status == 0) {
            *bytes_out = (const char *)out;
            *size_out = out_at;
            return 1;
        }
        munmap(out, room);
        if (status != OUT_OF_ROOM) return 0;
    }
    return 0;
}

int debugfile_find(const char *path, const char *file, size_t size, int number,
                             const char **bytes_out, size_t *size_out) {
    debugfile_section symbols;
    int found = 0, way;
    if (debugfile_section_of(file, size, ".symtab", &symbols)) return 0; /* it has all names */
    for (way = 0; way < 5; way++) {
        int here = way == 0   ? by_build_id(file, size, bytes_out, size_out)
                   : way == 4 ? by_data(file, size, bytes_out, size_out)
                              : by_link(file, size, path, way - 1, bytes_out, size_out);
        if (here && found++ == number) return 1;
    }
    return 0;
}
