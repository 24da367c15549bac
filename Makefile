# make          the host tool (build/bursty), build/bursty-lab and the examples
# make demo     a real program, plain and profiled; build/demo/report.html
# make headers  joins the products at the root from their parts in src/
# make test     the host test suite; cc and make are all it needs
# make install  PREFIX=/usr/local, DESTDIR=; make uninstall takes all of it away again
# make dist     build/bursty-VERSION.tar.gz of the commit, the same bytes on every machine
# make fuzz     random input for whatever reads files, FUZZ_SECONDS for each fuzzer; fuzz/README.md
# make gate     installs compilers and an emulator with apt-get, runs what a change must pass besides
# make matrix   the same for every compiler and every machine
# make bench    installs what it needs, measures, writes bench/results.md; bench-quick, bench-smoke: less
#
# make V=1 shows the commands. A target of the matrix sets CC, CXX, CFLAGS, LDFLAGS, RUN (what starts a program) and BUILD.

BUILD    ?= build
# Tests compile in less than half the time without what -O2 does; the row gcc-c17 has them with it. Some run
# so long (LONG) that -O1 is worth its time. A row of the matrix that asks nothing of the optimizer says
# SHORT=-O0, which then stands behind its CFLAGS for all others.
SHORT    ?=
TESTFLAGS := $(if $(filter undefined,$(origin CFLAGS)),-O0 -g1,$(CFLAGS) $(SHORT))
LONGFLAGS := $(if $(filter undefined,$(origin CFLAGS)),-O1 -g1,$(CFLAGS))
LONG      = bursty bursty_begin edgeplan footprint footprint_average footprint_bursts footprint_files hcct_bounds \
            hcct_files hcct_inside hotstream_grammar layout
CFLAGS   ?= -O2 -g1
CXX      ?= c++
STD      ?= c99
WARN     ?= -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -pedantic
RUN      ?=
THREADS  ?= -pthread
V         ?=
QUIET     = $(if $(V),,@echo "  cc $<";)
# Where words have 32 bits, files above 2 GB are read, too.
LARGE     = -D_FILE_OFFSET_BITS=64
LINK      = $(CC) -std=$(STD) $(WARN) $(CFLAGS) $(LARGE) -I. $(THREADS)
COMPILE   = $(LINK) $(DEPENDS)
TESTED    = $(CC) -std=$(STD) $(WARN) $(TESTFLAGS) $(LARGE) -I. $(THREADS) $(DEPENDS)
LIBS      = $(LDFLAGS) -lm

# The compiler writes down what it included: x.o.d beside x.o.
CAN_LIST := $(shell $(CC) -MMD -MP -MF - -MT yes -E -o /dev/null -x c /dev/null 2>/dev/null | grep '^yes:')
DEPENDS   = $(if $(CAN_LIST),-MMD -MP -MF $@.d -MT $@)

# The host tool: what its three wings have outside of a user's program, and their base.
TOOL_C    = $(wildcard base/*.c report/*.c report/*/*.c cc/[!i]*/*.c record/tool/*.c)
TOOL_MADE = $(BUILD)/base/lists.o $(BUILD)/report/page.o $(BUILD)/cc/runtime.o
TOOL_O    = $(TOOL_C:%.c=$(BUILD)/%.o) $(TOOL_MADE)
TOOL_PART = $(filter-out $(BUILD)/base/bursty.o,$(TOOL_O))
# build/bursty-lab: lab/ on the tool's readers and writers. A test may use both but their mains.
LAB_C     = $(wildcard lab/*.c)
LAB_O     = $(LAB_C:lab/%.c=$(BUILD)/lab/%.o)
LAB_PART  = $(filter-out $(BUILD)/lab/lab.o,$(LAB_O))
LAB_BASE  = $(filter-out base/bursty.c,$(wildcard base/*.c report/*/*.c))
PAGE_DIR  = report/write/page
PAGE      = $(PAGE_DIR)/style.css $(filter-out %/style.css,$(sort $(wildcard $(PAGE_DIR)/*.css))) \
            $(PAGE_DIR)/base.js $(filter-out %/base.js,$(sort $(wildcard $(PAGE_DIR)/*.js)))
EXAMPLE_C = $(wildcard examples/*.c)
EXAMPLES  = $(EXAMPLE_C:examples/%.c=$(BUILD)/examples/%)
# `bursty record` preloads this: for Linux on x86-64 with glibc and gcc or clang, whatever CFLAGS ask for.
RECORDER  = $(shell $(CC) $(CFLAGS) -E -x c record/inside/preload/supported.h 2>/dev/null | grep -q recorder_is_supported && \
    echo $(BUILD)/bursty-record.so $(BUILD)/bursty-heap.so)
TEST_C    = $(wildcard tests/test_*.c)
TESTS     = $(TEST_C:tests/%.c=$(BUILD)/tests/%)
# Those that take long stand in a row of the gate: tests/order says in which.
TEST_SH   = $(filter-out $(shell awk '!/^\#/ && $$2 { print "tests/" $$1 }' tests/order),$(wildcard tests/test_*.sh))
BEGAN    := $(shell date +%s)
PROCESSORS = $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

all: tools $(EXAMPLES)

tools: $(BUILD)/bursty $(BUILD)/bursty-lab $(RECORDER)

$(BUILD)/bursty: $(TOOL_O)
	$(if $(V),,@echo "  ld $@";) $(LINK) -o $@ $(TOOL_O) $(LIBS)

$(TOOL_C:%.c=$(BUILD)/%.o): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(QUIET) $(COMPILE) -c -o $@ $<

LAB_ALL   = $(LAB_O) $(BUILD)/lab/lists.o $(LAB_BASE:%.c=$(BUILD)/%.o) $(BUILD)/report/page.o

$(BUILD)/bursty-lab: $(LAB_ALL)
	$(if $(V),,@echo "  ld $@";) $(LINK) -o $@ $(LAB_ALL) $(LIBS)

$(BUILD)/lab/%.o: lab/%.c
	@mkdir -p $(@D)
	$(QUIET) $(COMPILE) -c -o $@ $<

# The style sheet and the scripts of the HTML report, as lists of C strings.
$(BUILD)/report/page.c: report/write/page/embed.awk $(PAGE)
	@mkdir -p $(@D)
	@LC_ALL=C awk -f report/write/page/embed.awk $(PAGE) >$@

# What `bursty cc` gives to a user's compiler, as text in the tool.
RUNTIME   = bursty.h edgeprof.h $(addprefix cc/inside/,file_name.h checks.c twins.c edges.h edges.c arcs.c \
            terminate.c append.h tables.h merge.h edges_file.c calls.h exits.c trace.c) $(wildcard cc/plugin/*)
$(BUILD)/cc/runtime.c: cc/run/embed.awk $(RUNTIME)
	@mkdir -p $(@D)
	@LC_ALL=C awk -f cc/run/embed.awk $(RUNTIME) >$@

# What kinds, sections of a report, writers and commands there are: whatever the sources define.
# Looked at in every run, for a file may have gone; written only when something has changed.
$(BUILD)/base/lists.c: LISTED = $(TOOL_C)
$(BUILD)/lab/lists.c: LISTED = $(LAB_C) $(LAB_BASE)
$(BUILD)/base/lists.c $(BUILD)/lab/lists.c: FORCE
	@mkdir -p $(@D)
	@LC_ALL=C awk -f base/lists.awk $(sort $(LISTED)) >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm -f $@.new

FORCE:

$(TOOL_MADE) $(BUILD)/lab/lists.o: %.o: %.c
	$(QUIET) $(COMPILE) -c -o $@ $<

RECORD_C  = $(wildcard record/inside/core/*.c record/inside/preload/*.c) record/x86/x86.c
RECORD_O  = $(RECORD_C:record/%.c=$(BUILD)/record/%.o)
PRELOAD   = $(CC) -std=$(STD) $(WARN) -O2 -g -fPIC -fvisibility=hidden -ftls-model=initial-exec -I. $(THREADS)

$(BUILD)/bursty-record.so: $(RECORD_O)
	$(if $(V),,@echo "  ld $@";) $(PRELOAD) -shared -o $@ $(RECORD_O) -Wl,--as-needed -ldl -lgcc_s -lm

# Preloaded before it, for `bursty record --misses` alone.
$(BUILD)/bursty-heap.so: $(BUILD)/record/inside/heap/hooks.o
	$(if $(V),,@echo "  ld $@";) $(PRELOAD) -shared -o $@ $< -Wl,--as-needed -ldl

$(BUILD)/record/%.o: record/%.c
	@mkdir -p $(@D)
	$(QUIET) $(PRELOAD) $(DEPENDS) -c -o $@ $<

$(BUILD)/examples/%: examples/%.c
	@mkdir -p $(@D)
	$(QUIET) $(COMPILE) -o $@ $< $(LIBS)

# A test that includes a header of the tool or of lab/ is linked with all of both but their mains.
TOOL_TESTS = $(shell grep -lE '^.include "(base|report|lab|cc)/' $(TEST_C))

$(TOOL_TESTS:tests/%.c=$(BUILD)/tests/%): $(BUILD)/tests/%: tests/%.c $(TOOL_PART) $(LAB_PART)
	@mkdir -p $(@D)
	$(QUIET) $(TESTED) -Itests -o $@ $< $(TOOL_PART) $(LAB_PART) $(LIBS)

$(LONG:%=$(BUILD)/tests/test_%): TESTFLAGS = $(LONGFLAGS)

$(BUILD)/tests/%: tests/%.c
	@mkdir -p $(@D)
	$(QUIET) $(TESTED) -Itests -o $@ $< $(LIBS)

# The products at the root are joined from the parts in src/ and committed; tests/test_headers.sh compares them.
PRODUCTS  = $(notdir $(patsubst %.in,%.h,$(wildcard src/*/*.in)))

headers:
	@for product in $(PRODUCTS:.h=); do \
	    LC_ALL=C awk -f src/join.awk src/$$product/$$product.in >$$product.h.new || exit 1; \
	    if cmp -s $$product.h.new $$product.h; then rm $$product.h.new; \
	    else mv $$product.h.new $$product.h; echo "  joined $$product.h"; fi; \
	done

demo: $(BUILD)/bursty
	@CC="$(CC)" BUILD="$(BUILD)" sh demo/run.sh

# Compiles on all processors, whatever -j says, and counts that among what the suite takes.
test:
	@$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(PROCESSORS)) test-built
	@BEGAN=$(BEGAN) CC="$(CC)" CXX="$(CXX)" CFLAGS="$(CFLAGS)" BUILD="$(BUILD)" RUN="$(RUN)" \
	    sh tests/run.sh $(TESTS) $(TEST_SH)

test-built: tools $(TESTS)

# ---- installing ----

PREFIX   ?= /usr/local
DESTDIR  ?=
VERSION  := $(shell sed -n 's/.*define TOOL_VERSION "\(.*\)"/\1/p' base/tool.h)
PAGES     = $(BUILD)/package
FROM_HELP = $(foreach p,bursty bursty-lab,$(PAGES)/man/$(p).1 $(PAGES)/$(p).bash $(PAGES)/$(p).zsh $(PAGES)/$(p).fish)
FILLED    = $(PAGES)/bursty.pc $(PAGES)/bursty-config.cmake $(PAGES)/bursty-config-version.cmake
PLACE     = sh package/install.sh $@ "$(BUILD)" "$(PREFIX)" "$(DESTDIR)"

install: tools $(FROM_HELP) $(FILLED)
	@$(PLACE)

uninstall: tools $(FROM_HELP) $(FILLED)
	@$(PLACE)

# Manual pages and completions say what the help texts say.
$(PAGES)/%.txt: $(BUILD)/% package/help.sh
	@mkdir -p $(PAGES)/man
	@sh package/help.sh $* $(RUN) $< >$@

$(PAGES)/man/%.1: $(PAGES)/%.txt package/help.awk package/man.awk
	@LC_ALL=C awk -f package/help.awk -f package/man.awk -v folder=$(PAGES)/man -v version=$(VERSION) $<

$(PAGES)/%.bash $(PAGES)/%.zsh $(PAGES)/%.fish: $(PAGES)/%.txt package/help.awk package/bash.awk package/zsh.awk package/fish.awk
	@for shell in bash zsh fish; do \
	    LC_ALL=C awk -f package/help.awk -f package/$$shell.awk $< >$(PAGES)/$*.$$shell || exit 1; \
	done

# They name PREFIX, which may be another one this time.
$(FILLED): $(PAGES)/%: package/%.in FORCE
	@mkdir -p $(PAGES)
	@sed -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' $< >$@

dist:
	@sh package/dist.sh "$(BUILD)" "$(VERSION)"

# Random fuzzing for FUZZ_SECONDS (60) a fuzzer; the gate's part of it, which is always the same, is `make matrix`.
fuzz:
	@sh fuzz/run.sh random

# For fuzz/run.sh, which says with what compiler.
FUZZERS   = $(patsubst %.c,$(BUILD)/%,$(wildcard fuzz/fuzz_*.c))
fuzzers: $(FUZZERS)

$(BUILD)/fuzz/%: fuzz/%.c $(TOOL_PART) $(LAB_PART)
	@mkdir -p $(@D)
	$(QUIET) $(COMPILE) -fsanitize=fuzzer -o $@ $< $(TOOL_PART) $(LAB_PART) $(LIBS)

# The C programs alone, for targets whose shell and tools are not the target's.
test-programs: $(TESTS)
	@RUN="$(RUN)" sh tests/run.sh $(TESTS)

gate:
	@sh tests/matrix.sh gate

matrix:
	@sh tests/matrix.sh

bench:
	@sh bench/run.sh

bench-quick:
	@sh bench/run.sh quick

bench-smoke:
	@sh bench/run.sh smoke

# Where a compiler left no list of what it included (tcc cannot), all headers stand for it.
OBJECTS   = $(TOOL_O) $(LAB_ALL) $(RECORD_O) $(EXAMPLES) $(TESTS) $(FUZZERS)
HAS_LIST  = $(wildcard $(OBJECTS:=.d))
HEADERS   = $(filter-out $(BUILD)/%,$(wildcard *.h */*.h */*/*.h */*/*/*.h tests/*.inc))
$(filter-out $(HAS_LIST:.d=),$(OBJECTS)): $(HEADERS)
include $(HAS_LIST)

clean:
	rm -rf $(BUILD)

.PHONY: FORCE all tools install uninstall dist headers demo test test-built fuzz fuzzers test-programs gate matrix bench bench-quick bench-smoke clean
.DELETE_ON_ERROR:
