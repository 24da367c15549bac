/* ---- functions: jumps, loops, calls, unwinding ---- */

/* 1. A module is a program or a library as it lies in memory. Fill in its ranges
      and the address of its .eh_frame_hdr. Then x86flow_list_functions lists its
      functions, which it knows from their unwind information. Stripped files
      have that, too.
   2. x86flow_decode reads one function into a body: its instructions in linear
      order, and who jumps to which. It returns 0, or the reason why the function
      is not understood.
   3. x86flow_plan finds the jump tables of a body, its loops, and the back-edges
      that need a check. A loop is k-boring if it makes no call and has at most k
      memory operands: it needs none (bursty-tracing, section 4.2).
   4. For a whole module: call x86flow_survey for each function, then
      x86flow_touch_tables, and then x86flow_eliminate. It answers whose entry
      needs a check by Equation 3 (section 4.1). Compilers move what rarely runs
      out of a function, into a part (.cold) that stands elsewhere. From
      x86flow_touch_tables on, such a part belongs to its function: one body
      holds both.
   5. x86flow_step goes from a frame of the stack to its caller by the unwind
      information.

   Memory is read, never written, but for what you hand over. The unwind
   information of a module is trusted to be whole, as the C library trusts it;
   code is not trusted. */

enum {                          /* function.flags */
    X86FLOW_LEAF = 1,           /* calls nobody */
    X86FLOW_ROOT = 2,           /* no direct caller */
    X86FLOW_TAKEN = 4,          /* its address is taken, or it is exported */
    X86FLOW_CALLED = 8,         /* by a direct call */
    X86FLOW_CHECK = 16,         /* its entry needs a check: Equation 3 */
    X86FLOW_FRAGMENT = 32,      /* a part (.cold) of another function */
    X86FLOW_DISPATCH = 64,      /* has an indirect jump */
    X86FLOW_BY_BRANCH = 128     /* the target of a conditional jump of another function */
};

enum {                          /* what x86flow_decode and x86flow_list_functions refuse */
    X86FLOW_FINE = 0,
    X86FLOW_UNDECODABLE = 1,
    X86FLOW_INTO_INSTRUCTION = 2,
    X86FLOW_TRANSACTION = 3,
    X86FLOW_CALLS_ITSELF = 4,   /* a call into its own middle */
    X86FLOW_STARTUP = 5,        /* set by the caller, for .init, .fini and stubs of the PLT */
    X86FLOW_UNWIND = 6,
    X86FLOW_TOO_LARGE = 9,
    X86FLOW_LOOKED_UP = 14      /* data says where its calls return to: x86flow_find_lookups */
};

typedef struct x86flow_function {
    uint64_t lo;                /* its address; it ends at lo + size */
    const uint8_t *fde;
    const char *name;           /* left to the caller */
    uint32_t size;
    uint32_t pad;               /* nops and int3 behind it */
    uint8_t reason, flags;
    uint8_t direct;             /* CHECK, and direct calls need it: it closes a cycle of calls */
    uint8_t dispatches;         /* indirect jumps; 255: or more */
    uint8_t unsure_entry;       /* the survey could not tell that the flags are dead at the entry */
    uint8_t patched, patch_at;  /* the caller overwrote up to 9 bytes from lo + patch_at on, */
    uint8_t saved[9];           /* which were these */
    uint16_t changes;           /* x86flow_note_callees: registers that it does not keep; 0: not
                                   known */
    uint8_t displaced;          /* the instructions that the jump overwrites are so many bytes, and
                                   run anywhere else as they are; 0: not known */
    uint8_t noted;              /* left to the caller */
    uint32_t part;              /* the number of its part (.cold) + 1; 0: it has none */
    uint32_t owner;             /* of a part: the number of its function + 1; 0: not known */
} x86flow_function;

/* A call through this GOT slot, by a stub of the PLT or without one, reaches
   that function. */
typedef struct x86flow_bound {
    uint64_t slot;
    uint32_t function;
} x86flow_bound;

/* A label of a threaded interpreter where the caller may have overwritten these
   bytes. */
typedef struct x86flow_label {
    uint64_t at;
    uint64_t to;                /* left to the caller, as the next two */
    uint32_t function;
    uint8_t held, gone;
    uint8_t saved[5];
} x86flow_label;
enum { X86FLOW_THREADED = 16 };         /* so many dispatches make a threaded interpreter */

typedef struct x86flow_module {
    uint64_t bias, lo, hi, text_lo, text_hi;
    uint64_t readable[8][2];                /* ranges of it that may be read; none: all of it */
    uint32_t readable_count;
    const uint8_t *frame_header;
    x86flow_function *functions;            /* in the order of their addresses */
    uint32_t count;
    const uint64_t *named;                  /* addresses of data that the code names, sorted */
    uint32_t named_count;
    const x86flow_bound *bound;             /* GOT slots that lead back into this module, sorted */
    uint32_t bound_count;
    x86flow_label *labels;                  /* in the order of their addresses */
    uint32_t label_count;
    uint32_t *near;                         /* x86flow_index made it, or NULL */
} x86flow_module;

enum {                          /* insn.target: who comes here */
    X86FLOW_TARGET_BRANCH = 1,
    X86FLOW_TARGET_TABLE = 2,
    X86FLOW_TARGET_CHECKED = 4, /* a back-edge that needs a check */
    X86FLOW_TARGET_FLAGS = 8    /* and the flags are live there */
};

enum { X86FLOW_PROVED = 0, X86FLOW_TRANSLATE = 1, X86FLOW_REWRITE = 2 };    /* insn.dispatch */

typedef struct x86flow_insn {
    x86decode_insn i;
    uint32_t offset;
    uint8_t target;
    uint8_t boring;             /* inside a loop that is not checked */
    /* TRANSLATE: an indirect jump whose table was not proved. REWRITE: a jump or a
       load that reads an entry of `table`. */
    uint8_t dispatch;
    uint32_t table;
    uint32_t entries;           /* of a load: it reads so many entries of a table; 0: not known */
    uint32_t first_jump;        /* direct jumps to here: a list, number + 1 */
    uint32_t next_jump;
} x86flow_insn;

/* width 4: distances from its own start; width 8: addresses. */
typedef struct x86flow_table {
    uint64_t address;
    uint32_t entries, width, last_jump;
} x86flow_table;
enum { X86FLOW_TABLES = 4096 };

typedef struct x86flow_body {
    const x86flow_module *m;
    const x86flow_function *f;
    uint8_t *text;              /* the original bytes */
    x86flow_insn *insn;         /* insn[count].offset is the end */
    uint32_t *index;            /* offset -> number of the instruction + 1 */
    uint32_t count, text_max, indirect_jumps;
    /* The function's part, or NULL. It follows the function: its first
       instruction is number part_first, at offset f->size. Without a part,
       part_first is count. */
    const x86flow_function *part;
    uint32_t part_first, size;          /* size: of both */
    x86flow_table *tables;
    uint32_t table_count;
    int flags_at_labels;                /* are the flags live at any label of a table? */
    uint32_t *pending, *mark, epoch;    /* of walks */
    int proof;                          /* how tables are proved just now */
} x86flow_body;

typedef struct x86flow_graph {
    uint32_t *from, *to, count, max;    /* calls and tail jumps between functions of the module */
    uint8_t *touched;                   /* one bit per byte of text: something goes there */
    uint8_t *pointed;                   /* the same: a word of data holds this address */
    uint64_t *named;
    uint32_t named_count, named_max;
    uint32_t filters;           /* functions that forbid system calls, and ask nobody */
} x86flow_graph;

typedef struct x86flow_unwind {         /* an FDE with its CIE */
    const uint8_t *cie_begin, *cie_end, *fde_begin, *fde_end;   /* the two programs of CFA */
    uint64_t pc, size, personality, lsda;
    int64_t data_factor;
    int signal_frame, has_personality, has_lsda;
} x86flow_unwind;

typedef struct x86flow_lsda {           /* where exceptions land: the table of a function */
    const uint8_t *sites, *sites_end, *actions;
    uint64_t pads, types;
    unsigned site_encoding, type_encoding;
    int bad;                            /* it has another form, or does not end in time */
} x86flow_lsda;

typedef struct x86flow_call_site {      /* start: from the function's start on */
    uint64_t start, size, pad, action;  /* pad: an address, or 0 */
} x86flow_call_site;

/* Functions of a module: */

/* Fills m->functions, which has room for `max`, from m->frame_header. Returns
   how many there are; 0: none, or the header has an unusual form. With
   functions NULL it only counts the entries. */
X86_API uint32_t x86flow_list_functions(x86flow_module *m, x86flow_function *functions,
                                            uint32_t max);
/* x86flow_function_at is quicker with an index of that many words, which is for
   the functions that are listed now. */
X86_API size_t x86flow_index_words(const x86flow_module *m);
X86_API void x86flow_index(x86flow_module *m, uint32_t *words);
/* The function that holds an address, or NULL. */
X86_API x86flow_function *x86flow_function_at(const x86flow_module *m, uint64_t address);

/* One function: */

/* Lays a body out in memory for functions of up to `largest` bytes. Returns the
   bytes that it takes, or 0: memory is too small (memory NULL: only tells how
   many). */
X86_API size_t x86flow_body_init(x86flow_body *b, void *memory, size_t bytes, size_t largest);
/* Decodes f, or with `enough` not 0 only its first instructions, that many
   bytes and perhaps a few more; then nothing is known about jumps. Returns
   X86FLOW_FINE or why not. */
X86_API int x86flow_decode(x86flow_body *b, const x86flow_module *m, const x86flow_function *f,
                               uint32_t enough);
/* Fills in target, boring, dispatch and table of all instructions of the body.
   k_boring: -1, no loop is boring. */
X86_API void x86flow_plan(x86flow_body *b, int32_t k_boring);
/* For x86flow_plan of an interpreter, before anything is patched: what the
   functions that it calls do to registers. Without it each label gets a check
   whose code makes a call. */
X86_API void x86flow_note_callees(const x86flow_body *b, x86flow_module *m);
/* Must the flags be kept before instruction `at`? Returns 1 or, if they are
   surely dead, 0. */
X86_API int x86flow_flags_live(const x86flow_body *b, uint32_t at);
/* The number of the instruction that a direct jump goes to, or ~0: outside of
   the function. */
X86_API uint32_t x86flow_goes_to(const x86flow_body *b, const x86flow_insn *k);
/* Where entry n of a table leads. */
X86_API uint64_t x86flow_table_target(const x86flow_table *t, uint32_t n);
/* Can control go on to the instruction that follows this one? Returns 1 or 0. */
X86_API int x86flow_falls_through(const x86flow_insn *k);
/* The same, if the next instruction of the body is what follows this
   one. */
X86_API int x86flow_runs_on(const x86flow_body *b, uint32_t at);
/* Where an offset of the body stands in memory; the offset of an address, or
   ~0: it is not in it. */
X86_API uint64_t x86flow_address(const x86flow_body *b, uint32_t offset);
X86_API uint32_t x86flow_offset(const x86flow_body *b, uint64_t address);
/* The number of the instruction that stands at an address, or ~0: none of the
   body. */
X86_API uint32_t x86flow_insn_at(const x86flow_body *b, uint64_t address);
/* Returns 1 for a nop of any length, otherwise 0. */
X86_API int x86flow_is_nop(const x86decode_insn *i);
/* The general register that modrm names as operand, or -1: it names memory; and
   the other one. */
X86_API int x86flow_rm_register(const x86decode_insn *i);
X86_API int x86flow_reg_register(const x86decode_insn *i);

/* A whole module: */

/* The bytes that a graph of a module takes; x86flow_graph_init lays it out in
   zeroed memory. */
X86_API size_t x86flow_graph_bytes(const x86flow_module *m);
X86_API void x86flow_graph_init(x86flow_graph *g, const x86flow_module *m, void *memory);
/* Tells that something leads to an address of code that no direct jump shows: a
   word of data, a relocation, an exported symbol. If a function starts there,
   it counts as called from anywhere. */
X86_API void x86flow_take(x86flow_graph *g, const x86flow_module *m, uint64_t address);
/* A word of data holds this address. */
X86_API void x86flow_point(x86flow_graph *g, const x86flow_module *m, uint64_t address);
/* Before all surveys, if data was told: functions whose return addresses stand
   in data get the reason X86FLOW_LOOKED_UP, for the program looks them up.
   Returns how many. */
X86_API uint32_t x86flow_find_lookups(x86flow_body *b, const x86flow_graph *g,
                                           x86flow_module *m);
/* Before all surveys: adds to m->bound, which stands in `bound` and has
   room. */
X86_API void x86flow_bind(x86flow_module *m, x86flow_bound *bound, uint64_t slot,
                              uint32_t function);
/* The GOT slot that a stub of the PLT at `to` jumps through, or 0: there is no
   such stub. */
X86_API uint64_t x86flow_stub_slot(const x86flow_module *m, uint64_t to);
/* The GOT slot that a call at `here` goes through, or 0. */
X86_API uint64_t x86flow_call_slot(const x86flow_module *m, const x86decode_insn *i,
                                       uint64_t here);
/* The function of this module that a GOT slot leads to, or `otherwise`. */
X86_API uint64_t x86flow_bound_to(const x86flow_module *m, uint64_t slot,
                                      uint64_t otherwise);
/* Decodes function `number` once, and notes what it calls and names. Returns 0
   or why it is not understood; f->reason is set if it was 0. */
X86_API int x86flow_survey(x86flow_body *b, x86flow_graph *g, x86flow_module *m,
                               uint32_t number);
/* Behind all surveys: joins parts to their functions, sorts what is named
   (m->named), and notes where tables lead. */
X86_API void x86flow_touch_tables(x86flow_graph *g, x86flow_module *m);
/* Does anything lead to this byte of the module's text? Returns 1 or 0. */
X86_API int x86flow_touched(const x86flow_graph *g, const x86flow_module *m, uint64_t address);
/* Equation 3: sets X86FLOW_CHECK. memory: zeroed, x86flow_eliminate_bytes
   many. */
X86_API size_t x86flow_eliminate_bytes(const x86flow_module *m, const x86flow_graph *g);
X86_API void x86flow_eliminate(const x86flow_module *m, const x86flow_graph *g, void *memory);
/* The function at an address, and all that it reaches by direct calls, get this
   reason. */
X86_API void x86flow_leave_out(x86flow_module *m, const x86flow_graph *g, uint64_t address,
                                   uint8_t reason);

/* Unwind information: */

/* Reads one FDE and its CIE. Returns 0, or -1 for anything unusual. */
X86_API int x86flow_read_fde(const uint8_t *fde, x86flow_unwind *out);
/* The FDE in an .eh_frame_hdr that covers pc, and where its function starts;
   NULL: none. */
X86_API const uint8_t *x86flow_find_fde(const uint8_t *frame_header, uint64_t pc,
                                            uint64_t *start);
/* A pointer in one of the encodings that installed files use. *bad is set for
   any other. */
X86_API uint64_t x86flow_encoded(const uint8_t **p, unsigned encoding, int *bad);
/* The table of landing pads of an FDE that has one. Returns 0, or -1: it has
   another form. */
X86_API int x86flow_open_lsda(const x86flow_module *m, const x86flow_unwind *u,
                                  x86flow_lsda *out);
/* Returns 1, or 0: there is none any more, or the table is bad. */
X86_API int x86flow_next_call_site(x86flow_lsda *l, x86flow_call_site *out);

/* How to get from a place of a function to its caller: cfa = register + offset, or
   the word there if cfa_saved: gcc's frames that are aligned to more than 16 bytes
   keep it at rbp + offset. The caller's rbp stands at cfa + rbp if rbp_saved is 1,
   at this frame's rbp + rbp if it is 2. */
typedef struct x86flow_rule {
    uint64_t pc;                        /* left to the caller, for a table of rules */
    int32_t offset, rbp;
    uint8_t reg, rbp_saved;             /* reg: 6 is rbp, 7 rsp; 0: it is not known */
    uint8_t cfa_saved;
} x86flow_rule;
/* The rule at a place of the function, counted from its start. Returns 0, or
   -1: it needs more than a rule can say. */
X86_API int x86flow_find_rule(const uint8_t *fde, uint64_t place, x86flow_rule *out);
/* The same at an offset of the body of f: its own bytes are followed by those of
   its part. */
X86_API int x86flow_rule_of(const x86flow_module *m, const x86flow_function *f,
                                uint32_t offset, x86flow_rule *out);
/* Applies a rule: the caller's pc, rsp and rbp. Nothing is read from outside of
   [*rsp, end). Returns 0, or -1: the stack is not like that. */
X86_API int x86flow_step(const x86flow_rule *rule, uint64_t *pc, uint64_t *rsp, uint64_t *rbp,
                         uint64_t end);
