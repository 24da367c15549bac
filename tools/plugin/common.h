/* common.h - what the plugins of gcc and clang share: their arguments, patterns,
   the files that `bursty cc` hands over, and the choice made on the source. Each
   includes it before the headers of its compiler. */
#include <limits.h>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

namespace {

/* ---- arguments ---- */

enum { ENTRIES_SAFE, ENTRIES_ALL, ENTRIES_LEAF, ENTRIES_NONE };
enum { LOOPS_ARE_ALL = -1, LOOPS_ARE_NONE = -2 };
enum { IS_CALL = 1, IS_BACKEDGE = 4, HAS_FRAME = 256, IS_PLACED = 512 };  /* of bursty_site.kind */

typedef std::vector<std::string> patterns;

struct arguments {
    int entries = ENTRIES_SAFE, loops = 4;
    bool scope = false, no_tls = false;
    patterns only, not_these;
    std::string chosen, records;
};

bool take(arguments *a, const std::string &key, const std::string &value) {
    if (key == "only") {
        a->only.push_back(value);
    } else if (key == "not") {
        a->not_these.push_back(value);
    } else if (key == "entries") {
        a->entries = value == "all"  ? ENTRIES_ALL
                     : value == "EL" ? ENTRIES_LEAF
                     : value == "EN" ? ENTRIES_NONE
                                     : ENTRIES_SAFE;
    } else if (key == "loops") {
        a->loops = value == "all"  ? LOOPS_ARE_ALL
                   : value == "LN" ? LOOPS_ARE_NONE
                                   : atoi(value.c_str());
    } else if (key == "form") {
        a->scope = value == "scope";
    } else if (key == "chosen") {
        a->chosen = value;
    } else if (key == "records") {
        a->records = value;
    } else if (key == "no-tls") {
        a->no_tls = true;
    } else {
        return false;
    }
    return true;
}

/* As tools/base/glob.c: * is any bytes, ? is one. */
bool matches(const char *pattern, const char *name) {
    const char *star = nullptr, *from = name;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == *name || *pattern == '?') {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

bool matches_one(const patterns &list, const std::string &name) {
    for (const std::string &pattern : list) {
        if (matches(pattern.c_str(), name.c_str())) return true;
    }
    return false;
}

/* --only and --not */
bool is_asked_for(const arguments &a, const std::string &name) {
    if (!a.only.empty() && !matches_one(a.only, name)) return false;
    return !matches_one(a.not_these, name);
}

/* A file that `bursty cc` has written. */
bool read_file(const std::string &path, std::string *data) {
    char part[65536];
    size_t got;
    FILE *file = fopen(path.c_str(), "rb");
    if (!file) return false;
    while ((got = fread(part, 1, sizeof part, file)) > 0) data->append(part, got);
    fclose(file);
    return true;
}

/* ---- the graph ---- */

/* What an object says of its functions (docs/formats.md): their names tell
   `bursty place --prove` which code could have a check. They are left alone by
   plans, which are made of source: no skeleton stands there. */

std::string escaped(const std::string &text) {
    std::string result;
    char word[4];
    for (char byte : text) {
        unsigned char c = (unsigned char)byte;
        bool is_odd = c <= 32 || c >= 127 || c == '%' || c == '"' || c == '\\';
        snprintf(word, sizeof word, is_odd ? "%%%02X" : "%c", c);
        result += word;
    }
    return result;
}

std::string escaped_or_none(const std::string &text) { return text.empty() ? "-" : escaped(text); }

std::string record_of_unit(const std::string &file) {
    return "U 2 0000000000000000 0000000000000000 " + escaped_or_none(file) + "\n";
}

/* linkage: g, s or w */
std::string record_of_function(const std::string &symbol, char linkage, unsigned line, bool checked,
                               const std::string &file) {
    return "F " + escaped(symbol) + " " + linkage + " " + std::to_string(line) +
           (checked ? " 0000000000000000 cn * " : " 0000000000000000 n * ") +
           escaped_or_none(file) + "\n";
}

std::string record_of_call(const std::string &symbol) { return "C " + escaped(symbol) + " -\n"; }

/* loops: it holds so many, itself included. */
std::string record_of_loop(unsigned line, int loops, bool checked) {
    return "L w " + std::to_string(line) + " - " + std::to_string(loops) + " 0 " +
           (checked ? "c\n" : "-\n");
}

const char record_of_end[] = "N checked-behind-the-optimizer\n";

/* The records as lines of assembly, for the section that is the current one.
   Those of the source, if there are some, are better. */
std::string records_as_assembly(const arguments &a, std::string records) {
    std::string text;
    size_t i;
    if (!a.records.empty()) {
        records.clear();
        read_file(a.records, &records);
    }
    for (i = 0; i < records.size(); i++) {
        if (i == 0 || records[i - 1] == '\n') text += "\t.ascii\t\"";
        if (records[i] == '\n') text += "\\n\"\n";
        else text += records[i];
    }
    return text;
}

/* ---- a choice made on the source ---- */

struct chosen_loop {
    unsigned first, last;                   /* lines */
    bool checked;
};
struct chosen_function {
    char way;                               /* as tools/cc/chosen.c says */
    std::vector<chosen_loop> loops;
};
enum { LOOP_CHECKED, LOOP_NOT, LOOP_UNKNOWN };

class source_choice {
public:
    bool empty() const { return all.empty(); }

    /* Returns false if the file cannot be read. */
    bool read(const std::string &path) {
        std::string data;
        chosen_function *f = nullptr;
        size_t at = 0, end;
        if (!read_file(path, &data)) return false;
        for (; (end = data.find('\n', at)) != std::string::npos; at = end + 1) {
            std::string line = data.substr(at, end - at);
            char word[1000], way;
            unsigned first, last;
            if (sscanf(line.c_str(), "F %999s %c", word, &way) == 2) {
                f = &all[word];
                if (!f->way) f->way = way;
            } else if (f && sscanf(line.c_str(), "L %u %u %c", &first, &last, &way) == 3) {
                f->loops.push_back({first, last, way == 'c'});
            }
        }
        return true;
    }

    /* Null: nothing is known of it, and the rules for one file alone decide. */
    const chosen_function *of(const std::string &identifier) const {
        std::map<std::string, chosen_function>::const_iterator found = all.find(identifier);
        return found != all.end() && found->second.way != 'n' ? &found->second : nullptr;
    }

    bool has(const std::string &identifier) const {
        const chosen_function *f = of(identifier);
        return f && (f->way == 'c' || f->way == 'e');
    }

    /* The smallest loop of the source that has the line. Of several on one line
       one that is checked. */
    int of_loop(const std::string &identifier, unsigned line) const {
        const chosen_function *f = of(identifier);
        unsigned best = UINT_MAX;
        int result = LOOP_UNKNOWN;
        if (!f) return result;
        for (const chosen_loop &loop : f->loops) {
            unsigned size = loop.last - loop.first;
            if (line < loop.first || line > loop.last || size > best) continue;
            if (size < best || loop.checked) result = loop.checked ? LOOP_CHECKED : LOOP_NOT;
            best = size;
        }
        return result;
    }

private:
    std::map<std::string, chosen_function> all;
};

/* ---- the text of checks ---- */

/* What lies in subsection 1: the stack pointer below the red zone, the call, and
   a jump back that is as long as the assembler cannot make it shorter. */
#define BURSTY_STUB(thunk, back) \
    ".byte 0x48, 0x83, 0xc4, 0x80\n\tcall\t" thunk "\n\t.byte 0xe9\n\t.long " back " - . - 4\n\t"

} /* namespace */
