/* common.h - what the plugins of gcc and clang share: their arguments, patterns,
   a function's flow and loops, the graph that an object carries, and the plan.
   Each includes it before the headers of its compiler. */
#include <algorithm>
#include <limits.h>
#include <map>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

namespace {

/* ---- arguments ---- */

enum { ENTRIES_SAFE, ENTRIES_ALL, ENTRIES_LEAF, ENTRIES_NONE, ENTRIES_TIME };
enum { LOOPS_ARE_ALL = -1, LOOPS_ARE_NONE = -2 };
enum { IS_CALL = 1, IS_BACKEDGE = 4, HAS_FRAME = 256, IS_PLACED = 512 };  /* of bursty_site.kind */

typedef std::vector<std::string> patterns;

struct arguments {
    int entries = ENTRIES_SAFE, loops = 4;
    bool scope = false, no_tls = false, program = false, join = false;
    patterns only, not_these;
    std::string plan, plan_hash;
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
                     : value == "time" ? ENTRIES_TIME
                                     : ENTRIES_SAFE;
    } else if (key == "loops") {
        a->loops = value == "all"  ? LOOPS_ARE_ALL
                   : value == "LN" ? LOOPS_ARE_NONE
                                   : atoi(value.c_str());
    } else if (key == "form") {
        a->scope = value == "scope";
    } else if (key == "plan") {
        a->plan = value;
    } else if (key == "plan-hash") {
        a->plan_hash = value;
    } else if (key == "no-tls") {
        a->no_tls = true;
    } else if (key == "program") {
        a->program = true;
    } else if (key == "join") {
        a->join = true;
    } else {
        return false;
    }
    return true;
}

/* As base/glob.h: * is any bytes, ? is one. */
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

/* ---- a function's flow ---- */

/* Blocks by number, 0 is where control enters; and which edges lead back in a
   depth-first search. So each cycle has such an edge, also one made by gotos
   into the middle of a loop. */
struct flow {
    std::vector<std::vector<unsigned>> next, before, back;  /* back: sources of edges back */
    std::vector<unsigned> order, place;     /* what is reached, each behind what leads forward to it */

    explicit flow(const std::vector<std::vector<unsigned>> &edges)
        : next(edges), before(edges.size()), back(edges.size()), place(edges.size(), UINT_MAX) {
        for (unsigned from = 0; from < next.size(); from++) {
            for (unsigned to : next[from]) before[to].push_back(from);
        }
        search();
    }

    /* Blocks on a way from the head to one of its edges back, that do not pass
       the head: walked backwards, among those that the head reaches. Sorted. */
    std::vector<unsigned> body(unsigned head) const {
        std::vector<char> ahead(next.size(), 0), in(next.size(), 0);
        std::vector<unsigned> stack{head}, list;
        ahead[head] = in[head] = 1;
        while (!stack.empty()) {
            unsigned here = stack.back();
            stack.pop_back();
            for (unsigned to : next[here]) {
                if (ahead[to]) continue;
                ahead[to] = 1;
                stack.push_back(to);
            }
        }
        for (unsigned from : back[head]) add(from, &in, &stack);
        while (!stack.empty()) {
            unsigned here = stack.back();
            stack.pop_back();
            for (unsigned from : before[here]) {
                if (ahead[from]) add(from, &in, &stack);
            }
        }
        for (unsigned k = 0; k < in.size(); k++) {
            if (in[k]) list.push_back(k);
        }
        return list;
    }

private:
    void search() {
        std::vector<char> state(next.size(), 0);
        std::vector<std::pair<unsigned, size_t>> stack;
        if (next.empty()) return;
        stack.push_back({0, 0});
        state[0] = 1;
        while (!stack.empty()) {
            unsigned here = stack.back().first;
            if (stack.back().second == next[here].size()) {
                state[here] = 2;
                order.push_back(here);
                stack.pop_back();
                continue;
            }
            unsigned to = next[here][stack.back().second++];
            if (state[to] == 1) back[to].push_back(here);
            if (state[to]) continue;
            state[to] = 1;
            stack.push_back({to, 0});
        }
        std::reverse(order.begin(), order.end());
        for (unsigned i = 0; i < order.size(); i++) place[order[i]] = i;
    }

    static void add(unsigned block, std::vector<char> *in, std::vector<unsigned> *stack) {
        if ((*in)[block]) return;
        (*in)[block] = 1;
        stack->push_back(block);
    }
};

/* ---- the graph ---- */

/* What an object says of its functions (docs/formats.md). Made of what the
   optimizer has left, it is the graph of what will run: calls that were inlined
   are none, casts and clean-ups are there. */

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

std::string hexadecimal(uint64_t number) {
    char digits[17];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)number);
    return digits;
}

std::string record_of_unit(const arguments &a, const std::string &file) {
    return "U 3 0000000000000000 " +
           (a.plan_hash.size() == 16 ? a.plan_hash : std::string("0000000000000000")) + " " +
           escaped_or_none(file) + "\n";
}

std::string record_of_taken(const std::string &symbol) { return "A " + escaped(symbol) + "\n"; }

/* A second name of a function, or a thunk: it does nothing but run the other. */
std::string record_of_other_name(const std::string &symbol, char linkage, const std::string &of) {
    return "F " + escaped(symbol) + " " + linkage + " 0 0000000000000000 n * -\nC " + escaped(of) +
           " -\nB c0\nN other-name\n";
}

/* Functions that a compiler calls by itself, or that always end soon: no call in
   a loop. cc/prove/read.c has them, too. */
bool is_plain(const std::string &symbol) {
    static const char *const plain[] = {
        "__memcpy_chk", "__memmove_chk", "__memset_chk", "bcmp", "memchr", "memcmp", "memcpy",
        "memmove", "mempcpy", "memset", "rawmemchr", "strchr", "strcmp", "strcpy", "stpcpy",
        "strlen", "strncmp", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
        "__errno_location", "__tls_get_addr", "abs", "labs", "fabs", "sqrt", "floor", "ceil",
        "fmod", "pow", "exp", "log", "sin", "cos", "lrint", "round", "trunc", "rint"};
    for (const char *one : plain) {
        if (symbol == one) return true;
    }
    return symbol.compare(0, 10, "__builtin_") == 0;
}

/* One function: who it is, its calls, its loops, and a skeleton with a label at
   each block. Blocks of a loop stand together, and what leaves it behind them;
   the last one is followed by a goto to the head, where nothing gets, so that
   all of them lie between the head and a goto back. */
class function_graph {
public:
    struct loop {
        unsigned head;
        std::vector<unsigned> blocks;       /* sorted */
        int loops;                          /* it holds so many, itself included */
        int parent;                         /* -1: none */
        unsigned line;
        bool calls, checked;
    };
    std::string symbol, flags, parameters, file;
    char linkage;                           /* g, s, w, or i: one of several equal ones */
    unsigned line;
    const flow of;
    std::vector<std::string> events;        /* of each block: its calls, as a skeleton has them */
    /* One entry for each block. calls: 1 if it calls only functions of the library that
       do not call back, 2 if it calls others. returns: it may also lead out of the
       function; jumps: by a computed goto. */
    std::vector<char> calls, returns, jumps;
    std::vector<loop> loops;

    explicit function_graph(const std::vector<std::vector<unsigned>> &edges)
        : of(edges), events(edges.size()), calls(edges.size(), 0), returns(edges.size(), 0),
          jumps(edges.size(), 0) {
        find_loops();
    }

    /* may_leave: it may throw what nothing in the function catches. */
    void add_call(unsigned block, const std::string &callee, bool may_leave) {
        std::map<std::string, unsigned>::iterator known = number.find(callee);
        if (known == number.end()) {
            known = number.insert({callee, (unsigned)callees.size()}).first;
            callees.push_back(callee);
        }
        add(block, "c" + std::to_string(known->second), may_leave);
    }
    void add_library_call(unsigned block, const std::string &callee) {
        char before = calls[block];
        if (is_plain(callee)) return;
        add_call(block, callee, false);
        calls[block] = before ? before : 1;
    }
    /* type: a row of classes. */
    void add_indirect(unsigned block, size_t count, const std::string &type, bool may_leave) {
        add(block, "i" + std::to_string(count) + "<" + type + ">", may_leave);
    }

    bool has_calls() const { return std::find(calls.begin(), calls.end(), 2) != calls.end(); }

    /* Which loops have a check if there is no plan. */
    void choose_loops(const arguments &a) {
        for (loop &one : loops) {
            for (unsigned block : one.blocks) one.calls |= calls[block] != 0;
            one.checked = a.loops == LOOPS_ARE_ALL ||
                          (a.loops != LOOPS_ARE_NONE && (one.calls || one.loops > a.loops));
        }
    }

    /* Call it when all events are there. Lines are not part of it, so that
       moving a function changes nothing. */
    uint64_t hash() const {
        uint64_t sum = UINT64_C(14695981039346656037);
        std::string text = flags + parameters + linkage + skeleton();
        for (const std::string &callee : callees) text += " " + callee;
        for (unsigned char c : text) sum = (sum ^ c) * UINT64_C(1099511628211);
        return sum;
    }

    std::string records(bool checked) const {
        std::string text = "F " + escaped(symbol) + " " + linkage + " " + std::to_string(line) +
                           " " + hexadecimal(hash()) + " " + flags + (checked ? "c" : "");
        if (flags.empty() && !checked) text += "-";
        text += " " + parameters + " " + escaped_or_none(file) + "\n";
        for (const std::string &callee : callees) text += "C " + escaped(callee) + " -\n";
        for (const loop &one : loops) {
            text += "L g " + std::to_string(one.line) + " " +
                    (one.parent < 0 ? std::string("-") : std::to_string(one.parent)) + " " +
                    std::to_string(one.loops) + " 0 " + (one.checked ? "c\n" : "-\n");
        }
        return text + "B " + skeleton() + "\n";
    }

private:
    std::map<std::string, unsigned> number; /* of callees */
    std::vector<std::string> callees;
    std::vector<unsigned> text_order;       /* blocks as they stand in the skeleton */
    std::vector<std::vector<unsigned>> around;  /* loops around each block, outermost first */
    bool is_reducible = true;

    void add(unsigned block, const std::string &word, bool may_leave) {
        events[block] += word;
        if (may_leave) events[block] += "(r|)";
        calls[block] = 2;
    }

    void find_loops() {
        std::vector<std::vector<unsigned>> key(of.next.size());
        std::vector<unsigned> by_size;
        for (unsigned head : of.order) {
            if (!of.back[head].empty()) loops.push_back({head, of.body(head), 0, -1, 0, false, false});
        }
        for (unsigned i = 0; i < loops.size(); i++) by_size.push_back(i);
        std::stable_sort(by_size.begin(), by_size.end(), [this](unsigned a, unsigned b) {
            return loops[a].blocks.size() > loops[b].blocks.size();
        });
        around.resize(of.next.size());
        for (unsigned i : by_size) {
            for (unsigned block : loops[i].blocks) {
                loops[i].loops += !of.back[block].empty();
                around[block].push_back(i);
                key[block].push_back(of.place[loops[i].head]);
            }
        }
        for (unsigned block : of.order) key[block].push_back(of.place[block]);
        text_order = of.order;
        std::sort(text_order.begin(), text_order.end(),
                  [&key](unsigned a, unsigned b) { return key[a] < key[b]; });
        number_loops();
    }

    /* In the order of the text, so that the loop around a loop comes before. */
    void number_loops() {
        std::vector<unsigned> at(of.next.size(), UINT_MAX), to(loops.size());
        std::vector<loop> sorted;
        for (unsigned i = 0; i < text_order.size(); i++) at[text_order[i]] = i;
        for (unsigned i = 0; i < loops.size(); i++) to[i] = i;
        std::sort(to.begin(), to.end(), [this, &at](unsigned a, unsigned b) {
            return at[loops[a].head] < at[loops[b].head];
        });
        std::vector<unsigned> now(loops.size());
        for (unsigned i = 0; i < to.size(); i++) {
            now[to[i]] = i;
            sorted.push_back(loops[to[i]]);
        }
        for (std::vector<unsigned> &list : around) {
            for (unsigned &i : list) i = now[i];
        }
        loops.swap(sorted);
        for (unsigned i = 0; i < loops.size(); i++) {
            for (unsigned outer : around[loops[i].head]) {
                if (outer < i) loops[i].parent = (int)outer;
            }
        }
        for (unsigned from : text_order) {
            for (unsigned to_block : of.next[from]) {
                bool goes_back = at[to_block] <= at[from], is_back = leads_back(from, to_block);
                is_reducible &= goes_back == is_back;
            }
        }
        position.swap(at);
    }

    bool leads_back(unsigned from, unsigned to) const {
        return std::find(of.back[to].begin(), of.back[to].end(), from) != of.back[to].end();
    }

    std::vector<unsigned> position;         /* of each block in text_order */

    /* Loops whose last block in the text this is. */
    std::vector<unsigned> ends(unsigned block) const {
        std::vector<unsigned> list;
        unsigned here = position[block];
        for (unsigned i : around[block]) {
            bool later = here + 1 < text_order.size() &&
                         std::binary_search(loops[i].blocks.begin(), loops[i].blocks.end(),
                                            text_order[here + 1]);
            if (!later) list.push_back(i);
        }
        return list;
    }

    std::string go_to(unsigned block) const { return "g" + std::to_string(position[block]); }

    std::string skeleton() const {
        std::string text;
        std::map<unsigned, unsigned> head;
        bool any = false;
        for (unsigned i = 0; i < loops.size(); i++) head[loops[i].head] = i;
        for (unsigned block : text_order) {
            std::map<unsigned, unsigned>::const_iterator of_head = head.find(block);
            bool by_address = of_head != head.end() && is_by_address(loops[of_head->second]);
            any |= by_address;
            text += (by_address ? "l" : "m") + std::to_string(position[block]);
            if (of_head != head.end()) text += "G" + std::to_string(of_head->second);
            text += events[block] + leave(block);
        }
        return any ? text + "rx" : text;
    }

    /* Loops that computed gotos make are never excused for being small, nor are
       those of a function in which a loop has two entrances. */
    bool is_by_address(const loop &one) const {
        bool by_jump = false;
        for (unsigned block : one.blocks) by_jump |= jumps[block] != 0;
        return by_jump || !is_reducible;
    }

    std::string leave(unsigned block) const {
        std::vector<unsigned> to = of.next[block], ending = ends(block);
        std::string text;
        unsigned following = position[block] + 1;
        std::sort(to.begin(), to.end(), [this](unsigned a, unsigned b) { return position[a] < position[b]; });
        to.erase(std::unique(to.begin(), to.end()), to.end());
        if (returns[block] || to.empty()) text += to.empty() ? "r" : "(r|)";
        for (size_t i = 0; i < to.size(); i++) {
            bool falls = ending.empty() && following < text_order.size() && to[i] == text_order[following];
            if (falls && i + 1 < to.size()) std::swap(to[i], to.back());
            falls = falls && i + 1 == to.size();
            if (falls) continue;
            text += i + 1 == to.size() ? go_to(to[i]) : "(" + go_to(to[i]) + "|)";
        }
        for (unsigned i : ending) text += go_to(loops[i].head);
        return text;
    }
};

/* Where no plan is possible, in the linker's step, the names tell `bursty place
   --prove` which code could have a check. */
const char record_of_end[] = "N checked-behind-the-optimizer\n";

/* The records as lines of assembly, for the section that is the current one. */
std::string records_as_assembly(const std::string &records) {
    std::string text;
    size_t i;
    for (i = 0; i < records.size(); i++) {
        if (i == 0 || records[i - 1] == '\n') text += "\t.ascii\t\"";
        if (records[i] == '\n') text += "\\n\"\n";
        else text += records[i];
    }
    return text;
}

/* ---- a plan ---- */

/* What `bursty place` has chosen for the functions of this unit: a line
   P unit symbol hash entry loops reason for each. */
class plan_of_unit {
public:
    /* Returns false if the file cannot be read. */
    bool read(const std::string &path, const std::string &unit) {
        std::string data, name = escaped_or_none(unit);
        size_t at = 0, end;
        if (!read_file(path, &data)) return false;
        for (; (end = data.find('\n', at)) != std::string::npos; at = end + 1) {
            std::vector<std::string> words(1);
            for (char c : data.substr(at, end - at)) {
                if (c == ' ') words.push_back("");
                else words.back() += c;
            }
            if (words.size() != 7 || words[0] != "P" || words[1] != name) continue;
            line &one = all[words[2]];
            one.hash = words[3];
            one.entry = words[4] == "1";
            one.loops = "," + words[5] + ",";
        }
        return true;
    }

    /* Returns false if nothing is known of the function, or it has changed. */
    bool obey(function_graph *f, bool *entry) const {
        std::map<std::string, line>::const_iterator found = all.find(escaped(f->symbol));
        if (found == all.end() || found->second.hash != hexadecimal(f->hash())) return false;
        *entry = found->second.entry;
        for (size_t i = 0; i < f->loops.size(); i++) {
            std::string number = "," + std::to_string(i) + ",";
            f->loops[i].checked = found->second.loops.find(number) != std::string::npos;
        }
        return true;
    }

private:
    struct line { std::string hash, loops; bool entry; };
    std::map<std::string, line> all;
};

/* ---- the text of checks ---- */

/* What lies in subsection 1: the stack pointer below the red zone, the call, and
   a jump back that is as long as the assembler cannot make it shorter. */
#define BURSTY_STUB(thunk, back) \
    ".byte 0x48, 0x83, 0xc4, 0x80\n\tcall\t" thunk "\n\t.byte 0xe9\n\t.long " back " - . - 4\n\t"

} /* namespace */
