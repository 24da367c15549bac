/* clang.cc - checks behind the optimizer: a plugin for clang on x86-64.

   What gcc.cc is for gcc: the same text of checks, the same choice of functions
   and loops, the same records, from LLVM's form of a program. The pass stands
   at the end of the optimizer, behind inlining and loops, and at -O0, too:

       front end -> inlining, loops, ... -> THIS PASS -> registers, scheduling -> assembly

   The first comment of gcc.cc says which functions and loops get a check, and
   why. What differs here:

   - A landing pad is an instruction, and `resume` leaves a function as an
     exception does.
   - A thunk, which adjusts `this` for a virtual call, is a function like others.
     It gets no check if it does nothing but call what it stands for.
   - Lines are those of LLVM's debug information. The driver's words ask for
     lines without debug information in the object (-Rpass=...). A function that
     was inlined everywhere is gone when the pass runs, so its symbol is noted
     when the optimizer begins.
   - With -flto the checks are there before the linker's step inlines more.

   Arguments (-mllvm -bursty=KEY=VALUE): entries=safe|all|EL|EN, loops=K|all|LN,
   form=point|scope, only=PATTERN, not=PATTERN, no-tls=1, plan=FILE,
   plan-hash=DIGITS. */
#include "common.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/CommandLine.h"
#include <cxxabi.h>
#include <memory>
#include <set>
using namespace llvm;

namespace {

cl::list<std::string> *words;               /* null: this is another clang */

bool begins(const std::string &text, const char *with) {
    return text.compare(0, strlen(with), with) == 0;
}

bool ends(const std::string &text, const std::string &with) {
    return text.size() >= with.size() &&
           text.compare(text.size() - with.size(), with.size(), with) == 0;
}

/* ---- names ---- */

typedef DenseMap<const DISubprogram *, std::string> symbol_map;

/* LLVM marks a name that the source has given with a byte. */
std::string plain_symbol(const std::string &symbol) {
    return !symbol.empty() && symbol[0] == 1 ? symbol.substr(1) : symbol;
}

std::string symbol_of(const GlobalValue *value) { return plain_symbol(value->getName().str()); }

/* The compiler's name for another copy, or for a part that it has split off, is
   the function's with a word behind it. *is_part: it is such a part. */
std::string without_suffix(const std::string &symbol, bool *is_part) {
    static const char *const copies[] = {".specialized.", ".llvm.", ".argprom", ".argelim",
                                         ".retelim"};
    size_t at = std::string::npos;
    for (const char *copy : copies) at = std::min(at, symbol.find(copy));
    size_t cold = symbol.find(".cold.");
    *is_part = cold != std::string::npos;
    at = std::min(at, cold);
    return at == std::string::npos || at == 0 ? symbol : symbol.substr(0, at);
}

/* What c++filt makes of it: the C++ library that comes with gcc, and that this
   plugin is linked with, has the same code. */
std::string name_of_symbol(const std::string &symbol, const DISubprogram *about) {
    bool is_part;
    std::string base = without_suffix(symbol, &is_part), name = base;
    if (begins(base, "_Z") || begins(base, "_GLOBAL_")) {
        int status;
        char *demangled = abi::__cxa_demangle(base.c_str(), nullptr, nullptr, &status);
        if (demangled) name = demangled;
        free(demangled);
    } else if (about && !about->getName().empty()) {
        name = about->getName().str();
    }
    return is_part ? name + " [part]" : name;
}

struct names {
    const symbol_map *early;                /* before anything was inlined */
    const std::string main_file;

    std::string of(const DISubprogram *about) const {
        symbol_map::const_iterator found = early->find(about);
        if (found != early->end()) return name_of_symbol(found->second, about);
        if (!about->getLinkageName().empty())
            return name_of_symbol(plain_symbol(about->getLinkageName().str()), about);
        return about->getName().str();
    }
    std::string of(const Function &f) const {
        return name_of_symbol(symbol_of(&f), f.getSubprogram());
    }

    /* As the command line or the directive had it: what is below the current
       folder has a name from there. */
    std::string file(const DIScope *scope) const {
        const DIFile *file = scope ? scope->getFile() : nullptr;
        std::string name = file ? file->getFilename().str() : "", folder, whole;
        if (name.empty()) return main_file;
        if (name[0] == '/' || name == main_file) return name;
        folder = file->getDirectory().str();
        whole = folder + "/" + name;
        if (whole == main_file) return whole;
        return here.empty() || folder == here ? name : whole;
    }
    std::string here;                       /* the folder in which it is compiled */
};

/* ---- the text of checks ---- */

/* Is the thread's word at an address that the linker of a program fills in? */
bool is_at_fixed_place(const Module &m, const arguments &a) {
    bool shared = m.getPICLevel() != PICLevel::NotPIC && m.getPIELevel() == PIELevel::Default;
    return !a.no_tls && !shared;
}

#define FS "%fs:bursty_here_tls_64@tpoff"
#define RARE(site) \
    ".subsection 1\n771:\t" BURSTY_STUB("bursty_thunk", "772b") ".long ${" site ":c} - .\n\t.previous"
#define FLAGS "~{dirflag},~{fpsr},~{flags}"

class checks {
public:
    checks(Module &module, const arguments &asked)
        : m(module), a(asked), fixed(is_at_fixed_place(module, asked)) {
        LLVMContext &c = m.getContext();
        chars = PointerType::get(Type::getInt8Ty(c), 0);
        word_type = Type::getInt32Ty(c);
        site_type = StructType::get(c, {chars, chars, word_type, word_type});
    }

    /* A variable of its own: so one that nothing refers to can go. It is in no
       group of its function's: link-time optimization moves the code to other
       files, and the variable would be lost. */
    Constant *site(const std::string &name, const std::string &file,
                   unsigned line, unsigned kind) {
        Constant *fields[] = {text(name), text(file), ConstantInt::get(word_type, line),
                              ConstantInt::get(word_type, kind | IS_PLACED)};
        Constant *value = ConstantStruct::get(site_type, fields);
        GlobalVariable *v = new GlobalVariable(m, site_type, true, GlobalValue::PrivateLinkage,
                                               value, "bursty_site");
        return v;
    }

    void check(Instruction *before, Constant *site, DebugLoc at) {
        if (fixed) {
            put(before, "decl\t" FS "\n\tjs\t771f\n772:\t" RARE("0"), "i," FLAGS, nullptr, {site},
                at);
            return;
        }
        CallInst *call = put(before, "decl\t$0\n\tjs\t771f\n772:\t" RARE("1"), "=*m,i,*m," FLAGS,
                             nullptr, {word(), site, word()}, at);
        Attribute of_word = Attribute::get(m.getContext(), Attribute::ElementType, word_type);
        call->addParamAttr(0, of_word);
        call->addParamAttr(2, of_word);
    }

    /* As BURST_SCOPE of bursty.h: the check, then the site goes onto the stack.
       Returns what the depth was, until the scope ends. */
    Value *enter(Instruction *before, Constant *site) {
        Type *both = StructType::get(m.getContext(), {word_type, Type::getInt64Ty(m.getContext())});
        CallInst *call =
            put(before, "decl\t" FS "\n\tjs\t771f\n772:\t"
                "movl\t" FS "+4, ${0:k}\n\tcmpl\t$$64, ${0:k}\n\tjae\t774f\n\t"
                "leaq\t${2:c}(%rip), $1\n\tmovq\t$1, " FS "+8(,${0:q},8)\n"
                "774:\tincl\t" FS "+4\n\t" RARE("2"), "=&r,=&r,i," FLAGS, both, {site},
                DebugLoc());
        return IRBuilder<>(before).CreateExtractValue(call, 0);
    }

    void leave(Instruction *before, Value *depth) {
        put(before, "movl\t${0:k}, " FS "+4\n\tcmpl\t$$0, " FS "\n\tjs\t775f\n776:\t"
            ".subsection 1\n775:\t" BURSTY_STUB("bursty_leave_thunk", "776b") ".previous",
            "r," FLAGS, nullptr, {depth}, before->getDebugLoc());
    }

    /* Where an exception lands: the scopes that it has skipped are gone. */
    void land(Instruction *before, Value *depth) {
        put(before, "leal\t1(${1:q}), ${0:k}\n\tmovl\t${0:k}, " FS "+4", "=r,r," FLAGS, word_type,
            {depth}, before->getDebugLoc());
    }

private:
    Module &m;
    const arguments &a;
    bool fixed;
    StructType *site_type;
    Type *word_type, *chars;
    std::map<std::string, Constant *> texts;

    Constant *text(const std::string &bytes) {
        Constant *&known = texts[bytes];
        if (!known) {
            Constant *data = ConstantDataArray::getString(m.getContext(), bytes);
            GlobalVariable *v =
                new GlobalVariable(m, data->getType(), true, GlobalValue::PrivateLinkage, data,
                                   "bursty_text");
            v->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
            v->setAlignment(MaybeAlign(1));
            known = ConstantExpr::getPointerCast(v, chars);
        }
        return known;
    }

    Value *word() {
        const char *name = a.no_tls ? "bursty_here_global_64" : "bursty_here_tls_64";
        GlobalVariable *v = m.getNamedGlobal(name);
        if (v) return v;
        v = new GlobalVariable(m, word_type, false, GlobalValue::ExternalLinkage, nullptr, name);
        v->setVisibility(GlobalValue::HiddenVisibility);
        v->setDSOLocal(true);
        if (!a.no_tls) v->setThreadLocalMode(GlobalValue::GeneralDynamicTLSModel);
        return v;
    }

    /* What it does to the program's memory is nothing that the compiler knows
       of; that it has an effect keeps it in its place. */
    CallInst *put(Instruction *before, const char *assembly, const char *constraints, Type *result,
                  std::vector<Value *> operands, DebugLoc at) {
        std::vector<Type *> types;
        for (Value *operand : operands) types.push_back(operand->getType());
        if (!result) result = Type::getVoidTy(m.getContext());
        FunctionType *type = FunctionType::get(result, types, false);
        InlineAsm *code = InlineAsm::get(type, assembly, constraints, true, false,
                                         InlineAsm::AD_ATT);
        CallInst *call = CallInst::Create(type, code, operands, "", before);
        call->setDoesNotThrow();
        call->setDebugLoc(at);
        return call;
    }
};

/* ---- who calls whom ---- */

/* Functions of the C library that the compiler may itself make calls of, or
   leave out: those of memory, strings and numbers. */
bool is_leaf_of_library(const std::string &symbol, const Function &f) {
    static const char *const whole[] = {
        "malloc", "calloc", "realloc", "reallocf", "free", "valloc", "aligned_alloc",
        "posix_memalign", "abs", "labs", "llabs", "ffs", "ffsl", "ffsll", "isascii", "isdigit",
        "toascii", "bcmp", "bcopy", "bzero"};
    std::string name = begins(symbol, "__") ? symbol.substr(2) : symbol;
    if (ends(name, "_chk")) name.resize(name.size() - 4);
    for (const char *one : whole) {
        if (name == one) return true;
    }
    return begins(name, "mem") || begins(name, "str") || begins(name, "stp") ||
           f.getReturnType()->isFloatingPointTy();
}

/* The function that is called, or null. */
const Function *target_of(const CallBase *call) {
    const Value *target = call->getCalledOperand()->stripPointerCasts();
    if (const GlobalAlias *alias = dyn_cast<GlobalAlias>(target)) {
        const GlobalObject *object = alias->getAliaseeObject();
        if (object && !alias->isInterposable()) target = object;
    }
    return dyn_cast<Function>(target);
}

/* The pass, for one module. */
class late {
public:
    late(Module &module, ModuleAnalysisManager &managers, const symbol_map &early)
        : m(module),
          functions(managers.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager()),
          name{&early, module.getSourceFileName(), std::string()} {}

    bool run();

private:
    Module &m;
    FunctionAnalysisManager &functions;
    names name;
    arguments asked;
    std::unique_ptr<checks> make;

    bool read_words();
    bool is_for_us() const;

    /* Does the instruction call something that may be an event, or that may
       call back? Not what the compiler itself may make a call of, such as
       memcpy. */
    const CallBase *as_call(const Instruction &i) {
        const CallBase *call = dyn_cast<CallBase>(&i);
        const Function *target;
        LibFunc known;
        if (!call || call->isInlineAsm()) return nullptr;
        target = target_of(call);
        if (!target) return call;
        if (target->isIntrinsic()) return nullptr;
        const TargetLibraryInfo &library =
            functions.getResult<TargetLibraryAnalysis>(const_cast<Function &>(*i.getFunction()));
        if (target->isDeclaration() && library.getLibFunc(*call, known) &&
            is_leaf_of_library(symbol_of(target), *target))
            return nullptr;
        return call;
    }

    SmallPtrSet<const Function *, 32> resolvers, thunks;
    SmallPtrSet<const Function *, 32> entered;  /* by other code; and one of each recursion */
    std::map<const Function *, int> state;

    const Function *thunk_to(const Function &f);
    std::vector<const Function *> called_by(const Function &f);
    void break_cycles(const Function *start);
    void look_at_file();

    typedef std::vector<const DILocation *> places;     /* of loops; may be null */

    std::string records;
    plan_of_unit plan;
    void fill(function_graph *graph, const Function &f, const std::vector<BasicBlock *> &blocks);
    places choose_loops(function_graph *graph, const std::vector<BasicBlock *> &blocks, unsigned line);
    void write_records();
    bool choose_entry(const Function &f, bool calls, bool loops, bool lands);
    bool is_wanted(const Function &f) const;
    bool is_able(const Function &f) const;
    void put_loop(Function &f, BasicBlock *head, const DILocation *at);
    void put_entry(Function &f, bool scope);
    void put_checks(Function &f);
};

/* A thunk that calls what it stands for, and nothing else: that. It has the
   target's name behind an offset, _ZThn16_N1B1fEv for _ZN1B1fEv. If the target
   was inlined there, it is a function like others. */
const Function *late::thunk_to(const Function &f) {
    std::string symbol = symbol_of(&f), called;
    const Function *target = nullptr;
    if (!begins(symbol, "_ZTh") && !begins(symbol, "_ZTv") && !begins(symbol, "_ZTc"))
        return nullptr;
    for (const BasicBlock &block : f) {
        for (const Instruction &i : block) {
            const CallBase *call = as_call(i);
            if (!call) continue;
            if (target) return nullptr;
            target = target_of(call);
            called = target ? symbol_of(target) : "";
            if (!begins(called, "_Z") || !ends(symbol, called.substr(2))) return nullptr;
        }
    }
    return target;
}

std::vector<const Function *> late::called_by(const Function &f) {
    std::vector<const Function *> list;
    for (const BasicBlock &block : f) {
        for (const Instruction &i : block) {
            const CallBase *call = as_call(i);
            const Function *to = call ? target_of(call) : nullptr;
            if (to && !to->isDeclaration()) list.push_back(to);
        }
    }
    return list;
}

/* A depth-first search over functions that nothing else enters. A call that
   leads back onto the stack closes a cycle: its target counts as entered. */
void late::break_cycles(const Function *start) {
    struct visit {
        const Function *f;
        std::vector<const Function *> callees;
        size_t next;
    };
    std::vector<visit> stack;
    stack.push_back({start, called_by(*start), 0});
    state[start] = 1;
    while (!stack.empty()) {
        visit &top = stack.back();
        if (top.next == top.callees.size()) {
            state[top.f] = 2;
            stack.pop_back();
            continue;
        }
        const Function *to = top.callees[top.next++];
        if (entered.count(to)) continue;
        std::map<const Function *, int>::iterator known = state.find(to);
        if (known != state.end()) {
            if (known->second == 1) entered.insert(to);
            continue;
        }
        state[to] = 1;
        stack.push_back({to, called_by(*to), 0});
    }
}

void late::look_at_file() {
    for (const GlobalIFunc &i : m.ifuncs()) {
        const Function *f = dyn_cast<Function>(i.getResolver()->stripPointerCasts());
        if (f) resolvers.insert(f);
    }
    for (const Function &f : m) {
        if (f.isDeclaration()) continue;
        if (!f.hasLocalLinkage() || f.hasAddressTaken()) entered.insert(&f);
        if (const Function *target = thunk_to(f)) {
            thunks.insert(&f);
            entered.insert(target);
        }
    }
    for (const Function &f : m) {
        if (!f.isDeclaration() && !entered.count(&f) && !state.count(&f)) break_cycles(&f);
    }
}

/* ---- the graph ---- */

char linkage_of(const GlobalValue &f) {
    if (f.hasLocalLinkage()) return 's';
    if (f.hasLinkOnceODRLinkage() || f.hasWeakODRLinkage()) return 'i';
    return f.isWeakForLinker() ? 'w' : 'g';
}

/* What is passed, coarsely, as in gcc.cc. */
std::string row_of(const FunctionType *type) {
    std::string row = "?";
    for (const Type *one : type->params())
        row += one->isPointerTy() ? ",p" : one->isIntegerTy() ? ",i" : one->isFloatingPointTy() ? ",f" : ",?";
    return row;
}

std::string parameters_of(const FunctionType *type) {
    return (type->isVarArg() ? "*" : std::to_string(type->getNumParams())) + "<" + row_of(type) + ">";
}

/* Assembly that jumps or calls may lead anywhere. */
bool jumps(const CallBase *call) {
    const InlineAsm *assembly = dyn_cast<InlineAsm>(call->getCalledOperand());
    return isa<CallBrInst>(call) || StringRef(assembly->getAsmString()).contains("call") ||
           StringRef(assembly->getAsmString()).contains("jmp");
}

void late::fill(function_graph *graph, const Function &f, const std::vector<BasicBlock *> &blocks) {
    const DISubprogram *about = f.getSubprogram();
    graph->symbol = symbol_of(&f);
    graph->linkage = linkage_of(f);
    graph->line = about ? about->getLine() : 0;
    graph->file = name.file(about);
    graph->parameters = parameters_of(f.getFunctionType());
    if (f.hasHiddenVisibility()) graph->flags += "h";
    if (f.doesNotReturn()) graph->flags += "r";
    for (unsigned k = 0; k < blocks.size(); k++) {
        graph->jumps[k] = isa<IndirectBrInst>(blocks[k]->getTerminator());
        graph->returns[k] = isa<ReturnInst>(blocks[k]->getTerminator());
        for (const Instruction &i : *blocks[k]) {
            const CallBase *call = dyn_cast<CallBase>(&i);
            bool leaves = call && !isa<InvokeInst>(call) && !call->doesNotThrow();
            if (call && call->isInlineAsm() && jumps(call))
                graph->add_call(k, "(assembly)", false);
            if (!as_call(i)) {
                const Function *library = call && !call->isInlineAsm() ? target_of(call) : nullptr;
                if (library && !library->isIntrinsic())
                    graph->add_library_call(k, symbol_of(library));
                continue;
            }
            if (const Function *to = target_of(call)) graph->add_call(k, symbol_of(to), leaves);
            else graph->add_indirect(k, call->arg_size(), row_of(call->getFunctionType()), leaves);
        }
    }
}

/* With what the linker needs to know: whose address is taken, and other names. */
void late::write_records() {
    std::string text;
    if (records.empty()) return;
    for (const Function &f : m) {
        if (f.hasAddressTaken()) records += record_of_taken(symbol_of(&f));
    }
    for (const GlobalAlias &alias : m.aliases()) {
        const Function *f = dyn_cast_or_null<Function>(alias.getAliaseeObject());
        if (!f) continue;
        records += record_of_other_name(symbol_of(&alias), linkage_of(alias), symbol_of(f));
        if (!alias.use_empty()) records += record_of_taken(symbol_of(&alias));
    }
    text = records_as_assembly(records);
    m.appendModuleInlineAsm("\t.pushsection\t.bursty.cg,\"\",@progbits\n" + text + "\t.popsection\n");
}

/* ---- loops ---- */

/* The line of a loop: that of a test that leaves it, else of its first
   statement. */
const DILocation *place_of_loop(const function_graph &graph, const function_graph::loop &loop,
                                const std::vector<BasicBlock *> &blocks) {
    const DILocation *best = nullptr;
    for (unsigned k : loop.blocks) {
        const Instruction *last = blocks[k]->getTerminator();
        const BranchInst *branch = dyn_cast<BranchInst>(last);
        const DILocation *at = branch ? last->getDebugLoc().get() : nullptr;
        if (!at || at->getLine() == 0 || !branch->isConditional()) continue;
        for (unsigned to : graph.of.next[k]) {
            if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), to)) continue;
            if (!best || at->getLine() < best->getLine()) best = at;
        }
    }
    if (best) return best;
    for (const Instruction &i : *blocks[loop.head]) {
        const DILocation *at = i.getDebugLoc().get();
        if (at && at->getLine() != 0) return at;
    }
    return nullptr;
}

/* The places of all loops, and which of them have a check if there is no
   plan. */
late::places late::choose_loops(function_graph *graph, const std::vector<BasicBlock *> &blocks,
                                unsigned line) {
    places list;
    for (function_graph::loop &loop : graph->loops) {
        list.push_back(place_of_loop(*graph, loop, blocks));
        loop.line = list.back() ? list.back()->getLine() : line;
    }
    graph->choose_loops(asked);
    return list;
}

/* ---- the pass ---- */

bool late::is_wanted(const Function &f) const { return is_asked_for(asked, name.of(f)); }

bool late::choose_entry(const Function &f, bool calls, bool loops, bool lands) {
    if (thunks.count(&f)) return false;
    switch (asked.entries) {
    case ENTRIES_ALL: return true;
    case ENTRIES_LEAF: return calls;
    case ENTRIES_TIME: return calls || loops;
    case ENTRIES_NONE: return false;
    default: return calls && (entered.count(&f) || lands);
    }
}

/* The program's start runs a resolver before threads have their words. */
bool late::is_able(const Function &f) const {
    return !f.isDeclaration() && !f.hasAvailableExternallyLinkage() &&
           !f.hasFnAttribute(Attribute::Naked) && !resolvers.count(&f);
}

void late::put_loop(Function &f, BasicBlock *head, const DILocation *at) {
    BasicBlock::iterator first = head->getFirstInsertionPt();
    const DIScope *about = f.getSubprogram();
    std::string in = name.of(f);
    unsigned line = about ? f.getSubprogram()->getLine() : 0;
    if (first == head->end()) return;
    if (at) {
        in = name.of(at->getScope()->getSubprogram());
        about = at->getScope();
        line = at->getLine();
    }
    make->check(&*first, make->site(in, name.file(about), line, IS_BACKEDGE),
                first->getDebugLoc());
}

/* Behind the variables, which stand first. */
void late::put_entry(Function &f, bool scope) {
    const DISubprogram *about = f.getSubprogram();
    Constant *site = make->site(name.of(f), name.file(about), about ? about->getLine() : 0,
                                scope ? IS_CALL | HAS_FRAME : IS_CALL);
    BasicBlock::iterator first = f.getEntryBlock().getFirstInsertionPt();
    while (isa<AllocaInst>(&*first)) ++first;
    if (!scope) {
        make->check(&*first, site, DebugLoc());
        return;
    }
    Value *depth = make->enter(&*first, site);
    for (BasicBlock &block : f) {
        if (block.isLandingPad()) make->land(&*block.getFirstInsertionPt(), depth);
        if (!isa<ReturnInst>(block.getTerminator())) continue;
        CallInst *jump = block.getTerminatingMustTailCall();
        make->leave(jump ? jump : block.getTerminator(), depth);
    }
}

void late::put_checks(Function &f) {
    bool scope = asked.scope && is_at_fixed_place(m, asked), lands = false, wanted = is_wanted(f);
    std::vector<BasicBlock *> blocks;
    std::vector<std::vector<unsigned>> edges;
    DenseMap<const BasicBlock *, unsigned> number;
    for (BasicBlock &block : f) {
        lands |= scope && block.isLandingPad();
        number[&block] = (unsigned)blocks.size();
        blocks.push_back(&block);
    }
    edges.resize(blocks.size());
    for (unsigned k = 0; k < blocks.size(); k++) {
        for (BasicBlock *to : successors(blocks[k])) edges[k].push_back(number[to]);
    }
    function_graph graph(edges);
    fill(&graph, f, blocks);
    places at = choose_loops(&graph, blocks, graph.line);
    bool entry = choose_entry(f, graph.has_calls(), !graph.loops.empty(), lands);
    if (plan.obey(&graph, &entry)) entry |= lands;
    entry &= wanted;
    for (function_graph::loop &loop : graph.loops) loop.checked &= wanted;
    if (records.empty()) records = record_of_unit(asked, name.main_file);
    records += graph.records(entry);
    for (size_t i = 0; i < at.size(); i++) {
        if (graph.loops[i].checked) put_loop(f, blocks[graph.loops[i].head], at[i]);
    }
    if (entry) put_entry(f, scope);
}

bool late::read_words() {
    for (const std::string &word : *words) {
        size_t equal = word.find('=');
        std::string key = word.substr(0, equal);
        if (equal != std::string::npos && take(&asked, key, word.substr(equal + 1))) continue;
        m.getContext().emitError("bursty: '" + key + "' is no argument of this plugin");
        return false;
    }
    return true;
}

bool late::is_for_us() const {
    auto model = m.getCodeModel();
    Triple target(m.getTargetTriple());
    return target.getArch() == Triple::x86_64 && target.isOSBinFormatELF() &&
           m.getDataLayout().getPointerSize() == 8 && !(model && *model == CodeModel::Large);
}

bool late::run() {
    if (!is_for_us() || !read_words()) return false;
    if (!asked.plan.empty() && !plan.read(asked.plan, name.main_file)) {
        m.getContext().emitError("bursty: " + asked.plan + ": cannot be read");
        return false;
    }
    if (NamedMDNode *units = m.getNamedMetadata("llvm.dbg.cu")) {
        if (units->getNumOperands() > 0) {
            const DICompileUnit *unit = cast<DICompileUnit>(units->getOperand(0));
            name.here = unit->getFile()->getDirectory().str();
        }
    }
    make.reset(new checks(m, asked));
    look_at_file();
    for (Function &f : m) {
        if (is_able(f)) put_checks(f);
    }
    write_records();
    return true;
}

struct note_pass : PassInfoMixin<note_pass> {
    std::shared_ptr<symbol_map> early;
    explicit note_pass(std::shared_ptr<symbol_map> map) : early(map) {}
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &) {
        for (const Function &f : m) {
            if (f.getSubprogram()) (*early)[f.getSubprogram()] = symbol_of(&f);
        }
        return PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

struct late_pass : PassInfoMixin<late_pass> {
    std::shared_ptr<symbol_map> early;
    explicit late_pass(std::shared_ptr<symbol_map> map) : early(map) {}
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &managers) {
        bool changed = late(m, managers, *early).run();
        return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired() { return true; }
};

void add_passes(PassBuilder &builder) {
    std::shared_ptr<symbol_map> early = std::make_shared<symbol_map>();
    builder.registerPipelineStartEPCallback(
        [early](ModulePassManager &passes, auto...) { passes.addPass(note_pass(early)); });
    builder.registerOptimizerLastEPCallback(
        [early](ModulePassManager &passes, auto...) { passes.addPass(late_pass(early)); });
}

} // namespace

/* The compiler says which one it is, if it lets others ask. */
namespace clang {
std::string getClangFullVersion() __attribute__((weak));
}

/* LLVM does not compare versions. In another one than this was built for there
   is no such option, and no pass: so the command fails with a word on that. */
static bool fits() {
    return !clang::getClangFullVersion ||
           clang::getClangFullVersion().find(" " LLVM_VERSION_STRING) != std::string::npos;
}

__attribute__((constructor)) static void begin() {
    if (fits())
        words = new cl::list<std::string>("bursty", cl::Hidden, cl::desc("KEY=VALUE of bursty cc"));
}

extern "C" PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {words ? LLVM_PLUGIN_API_VERSION : 0u, "bursty", LLVM_VERSION_STRING, add_passes};
}
