# make          the host tool (build/bursty) and the examples
# make demo     a real program, plain and profiled; build/demo/report.html
# make headers  joins the products at the root from their parts in src/
# make test     the host test suite; cc and make are all it needs
# make matrix   installs compilers and emulators with apt-get, runs the tests on every target
# make bench    installs what it needs, measures, writes bench/results.md and bench/results.json; bench-quick, bench-smoke: less
#
# make V=1 shows the commands. A target of the matrix sets CC, CXX, CFLAGS, LDFLAGS, RUN (what starts a program) and BUILD.

BUILD    ?= build
CFLAGS   ?= -O2 -g
CXX      ?= c++
STD      ?= c99
WARN     ?= -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -pedantic
RUN      ?=
THREADS  ?= -pthread
V         ?=
QUIET     = $(if $(V),,@echo "  cc $<";)
COMPILE   = $(CC) -std=$(STD) $(WARN) $(CFLAGS) -I. $(THREADS)
LIBS      = $(LDFLAGS) -lm

TOOL_C    = $(wildcard tools/*.c tools/*/*.c)
TOOL_H    = $(wildcard tools/*.h tools/*/*.h)
TOOL_O    = $(TOOL_C:tools/%.c=$(BUILD)/tools/%.o) $(BUILD)/tools/page.o $(BUILD)/tools/lists.o \
            $(BUILD)/tools/runtime.o
TOOL_PART = $(filter-out $(BUILD)/tools/bursty.o,$(TOOL_O))
PAGE_DIR  = tools/write/page
PAGE      = $(PAGE_DIR)/style.css $(filter-out %/style.css,$(sort $(wildcard $(PAGE_DIR)/*.css))) \
            $(PAGE_DIR)/base.js $(filter-out %/base.js,$(sort $(wildcard $(PAGE_DIR)/*.js)))
EXAMPLE_C = $(wildcard examples/*.c)
EXAMPLES  = $(EXAMPLE_C:examples/%.c=$(BUILD)/examples/%)
# `bursty record` preloads this: for Linux on x86-64 with glibc and gcc or clang, whatever CFLAGS ask for.
RECORDER  = $(shell $(CC) $(CFLAGS) -E -x c record/supported.h 2>/dev/null | grep -q recorder_is_supported && \
    echo $(BUILD)/bursty-record.so)
TEST_C    = $(wildcard tests/test_*.c)
TESTS     = $(TEST_C:tests/%.c=$(BUILD)/tests/%)
TEST_SH   = $(wildcard tests/test_*.sh)

all: $(BUILD)/bursty $(EXAMPLES) $(RECORDER)

$(BUILD)/bursty: $(TOOL_O)
	$(if $(V),,@echo "  ld $@";) $(COMPILE) -o $@ $(TOOL_O) $(LIBS)

$(BUILD)/tools/%.o: tools/%.c $(TOOL_H) $(wildcard *.h)
	@mkdir -p $(@D)
	$(QUIET) $(COMPILE) -Itools -c -o $@ $<

# The style sheet and the scripts of the HTML report, as lists of C strings.
$(BUILD)/tools/page.c: tools/write/page/embed.awk $(PAGE)
	@mkdir -p $(@D)
	@LC_ALL=C awk -f tools/write/page/embed.awk $(PAGE) >$@

# What `bursty cc` gives to a user's compiler, as text in the tool.
RUNTIME   = keepregs.h bursty.h edgeprof.h $(addprefix record/,checks.c edges.h edges.c append.h edges_file.c exits.c)
$(BUILD)/tools/runtime.c: tools/cc/embed.awk $(RUNTIME)
	@mkdir -p $(@D)
	@LC_ALL=C awk -f tools/cc/embed.awk $(RUNTIME) >$@

# What kinds, sections of a report, writers and commands there are: whatever tools/ defines.
# Looked at in every run, for a file may have gone; written only when something has changed.
$(BUILD)/tools/lists.c: FORCE
	@mkdir -p $(@D)
	@LC_ALL=C awk -f tools/base/lists.awk $(sort $(TOOL_C)) >$@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm -f $@.new

FORCE:

$(BUILD)/tools/page.o $(BUILD)/tools/lists.o $(BUILD)/tools/runtime.o: %.o: %.c $(TOOL_H) $(wildcard *.h)
	$(QUIET) $(COMPILE) -Itools -c -o $@ $<

RECORD_C  = $(addprefix record/,patch.c patch_file.c sampled.c contexts.c timer.c keep.c handover.c debugfile.c frames.c threads.c names.c dump.c)

$(BUILD)/bursty-record.so: $(RECORD_C) record/recorder.h record/patch.h record/sampled.h record/contexts.h record/timer.h record/keep.h record/handover.h $(wildcard *.h)
	@mkdir -p $(@D)
	$(QUIET) $(CC) -std=$(STD) $(WARN) -O2 -g -fPIC -shared -fvisibility=hidden -ftls-model=initial-exec -I. $(THREADS) -o $@ $(RECORD_C) -ldl -lgcc_s -lm

$(BUILD)/examples/%: examples/%.c $(wildcard *.h)
	@mkdir -p $(@D)
	$(QUIET) $(COMPILE) -o $@ $< $(LIBS)

# A test that includes a header of the tool is linked with all of the tool but its main.
TOOL_TESTS = $(shell grep -lE '^.include "(base|kinds|model|write|replay|cc)/' $(TEST_C))

$(TOOL_TESTS:tests/%.c=$(BUILD)/tests/%): $(BUILD)/tests/%: tests/%.c tests/test.h $(wildcard tests/*.inc) $(TOOL_PART)
	@mkdir -p $(@D)
	$(QUIET) $(COMPILE) -Itools -Itests -o $@ $< $(TOOL_PART) $(LIBS)

$(BUILD)/tests/%: tests/%.c tests/test.h $(wildcard tests/*.inc) $(wildcard *.h)
	@mkdir -p $(@D)
	$(QUIET) $(COMPILE) -Itools -Itests -o $@ $< $(LIBS)

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

test: all $(TESTS)
	@CC="$(CC)" CXX="$(CXX)" CFLAGS="$(CFLAGS)" BUILD="$(BUILD)" RUN="$(RUN)" sh tests/run.sh $(TESTS) $(TEST_SH)

# The C programs alone, for targets whose shell and tools are not the target's.
test-programs: $(TESTS)
	@RUN="$(RUN)" sh tests/run.sh $(TESTS)

matrix:
	@sh tests/matrix.sh

bench:
	@sh bench/run.sh

bench-quick:
	@sh bench/run.sh quick

bench-smoke:
	@sh bench/run.sh smoke

clean:
	rm -rf $(BUILD)

.PHONY: FORCE all headers demo test test-programs matrix bench bench-quick bench-smoke clean
.DELETE_ON_ERROR:
