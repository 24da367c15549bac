/* options.c - walking over the arguments of a command. */
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

void tool_options(tool_option *o, int argc, char **argv) {
    memset(o, 0, sizeof *o);
    o->argc = argc;
    o->argv = argv;
    o->at = 1;
}

void tool_options_once(tool_option *o, int argc, char **argv, const char *many) {
    tool_options(o, argc, argv);
    o->many = many;
}

/* Is it one of the words of `many`? */
static int may_repeat(const tool_option *o) {
    const char *at = o->many;
    while (*at) {
        size_t size = strcspn(at, " ");
        if (o->name_size == size && memcmp(o->name, at, size) == 0) return 1;
        at += size + strspn(at + size, " ");
    }
    return 0;
}

/* `--json=x` of an option that takes no value, or an option that stood
   before. */
static const char *fault_of(const tool_option *o) {
    size_t i;
    if (may_repeat(o)) return NULL;
    for (i = 0; i < o->seen_count; i++) {
        if (o->seen_size[i] == o->name_size && memcmp(o->seen[i], o->name, o->name_size) == 0)
            return "stands twice";
    }
    return NULL;
}

static void remember(tool_option *o) {
    if (o->seen_count == sizeof o->seen / sizeof *o->seen) return;
    o->seen[o->seen_count] = o->name;
    o->seen_size[o->seen_count++] = o->name_size;
}

int tool_next(tool_option *o) {
    if (o->many && o->value && !o->is_taken) {
        o->fault = "takes no value";
        o->value = NULL;
        return 1;
    }
    while (o->at < o->argc) {
        char *argument = o->argv[o->at++];
        if (!o->only_files && strcmp(argument, "--") == 0) {
            o->only_files = 1;
            continue;
        }
        if (o->only_files || argument[0] != '-' || !argument[1]) {
            o->argv[o->files++] = argument;
            continue;
        }
        o->name = argument;
        o->value = argument[1] == '-' ? strchr(argument, '=') : NULL;
        o->name_size = o->value ? (size_t)(o->value - argument) : strlen(argument);
        if (o->value) o->value++;
        o->is_taken = 0;
        if (o->many) {
            o->fault = fault_of(o);
            remember(o);
        }
        return 1;
    }
    return 0;
}

int tool_is(const tool_option *o, const char *dashes, const char *name) {
    size_t dash_count = strlen(dashes), size = strlen(name);
    return !o->fault && o->name_size == dash_count + size &&
           memcmp(o->name, dashes, dash_count) == 0 &&
           memcmp(o->name + dash_count, name, size) == 0;
}

const char *tool_value(tool_option *o) {
    if (!o->value && o->at < o->argc) o->value = o->argv[o->at++];
    o->is_taken = 1;
    if (!o->value) tool_error("%.*s wants a value; --help tells more", (int)o->name_size, o->name);
    return o->value;
}

/* Options that had another name. CHANGELOG.md lists them, too. */
static const struct {
    const char *command, *before, *now;
} renamed[] = {
    {"record", "--period", "--every"},
    {"record", "--filter", "--only"},
    {"place", "--without", "--not"},
    {"hcct", "--interval", "--every, which counts the calls between two bursts"},
    {"streams", "--sample", "--every and --burst"},
    {"streams", "--period", "--every, which counts the checks between two bursts"},
    {"pairs", "--sample", "--every and --burst"},
    {"pairs", "--period", "--every, which counts the checks between two bursts"},
    {"methods", "--sample", "--every and --burst"},
    {"methods", "--period", "--every, which counts the checks between two bursts"},
};

int tool_no_option(const tool_option *o, const char *command) {
    size_t i;
    if (o->fault)
        return tool_error("%s: '%.*s' %s", command, (int)o->name_size, o->name, o->fault);
    for (i = 0; i < sizeof renamed / sizeof *renamed; i++) {
        const char *before = renamed[i].before;
        if (strcmp(renamed[i].command, command) == 0 && strlen(before) == o->name_size &&
            memcmp(o->name, before, o->name_size) == 0)
            return tool_error("%s: '%s' is called %s now", command, before, renamed[i].now);
    }
    return tool_error("%s: no option '%.*s'; %s %s --help lists them", command,
                      (int)o->name_size, o->name, tool_program, command);
}

int tool_no_input(const char *command, const char *wanted) {
    return tool_error("%s: no input: give %s; %s %s --help tells more", command, wanted,
                      tool_program, command);
}

int tool_sizes(const char *option, const char *said, uint64_t *sizes, int most) {
    const uint64_t largest = UINT64_C(1) << 32;
    const char *at = said, *why = NULL;
    int count = 0;
    for (;; at++) {
        char *end = NULL;
        uint64_t bytes = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
        int shift = 0;
        if (end) shift = *end == 'k' || *end == 'K' ? 10 : *end == 'm' || *end == 'M' ? 20
                         : *end == 'g' || *end == 'G' ? 30 : 0;
        if (shift) end++;
        if (!bytes || !end || (*end && *end != ',')) why = "a size such as 48k or 2m is wanted";
        else if (bytes > largest >> shift || bytes << shift < 64)
            why = "a size is from 64 bytes to 4g";
        else if (count == most) why = "there are too many sizes";
        else if (count && (bytes << shift) / 64 <= sizes[count - 1] / 64)
            why = "each size is larger than the one before";
        if (why) {
            tool_error("--%s %s: %s", option, said, why);
            return 0;
        }
        sizes[count++] = bytes << shift;
        if (!*end) return count;
        at = end;
    }
}

int tool_wants_help(int argc, char **argv) {
    int i;
    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return 1;
    }
    return 0;
}
