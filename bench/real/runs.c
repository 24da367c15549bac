/* runs.c - qemu-user plugin: how many of a program's own instructions run
   between two of its checks. A check is `decl %fs:word` or `subl $1,%fs:word`,
   as `bursty cc` writes it for a program with a fixed address (-no-pie); code of
   libraries lies above `own_end` and counts only in the sum. Prints the sum, the
   checks, the longest run, and which share of the program's instructions lies
   in runs above 1e3, 1e4 .. 1e7. Debian ships no qemu-plugin.h (see icount.c). */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int add_u64, void *, uint64_t);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int flags, void *);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
void qemu_plugin_outs(const char *);

static const uint64_t own_end = 0x10000000;
enum { CLASSES = 5 };
static uint64_t all, own, last, checks, longest, above[CLASSES];

static int is_check(const struct qemu_plugin_insn *i) {
    const unsigned char *p = (const unsigned char *)qemu_plugin_insn_data(i);
    size_t size = qemu_plugin_insn_size(i);
    if (size == 8 && memcmp(p, "\x64\xff\x0c\x25", 4) == 0) return 1;
    return size == 9 && memcmp(p, "\x64\x83\x2c\x25", 4) == 0 && p[8] == 1;
}

static void end_run(uint64_t here) {
    uint64_t run = here - last, limit = 1000;
    int k;
    if (run > longest) longest = run;
    for (k = 0; k < CLASSES; k++, limit *= 10) {
        if (run > limit) above[k] += run;
    }
    last = here;
}

/* left: instructions of the block from the check on, which are counted already. */
static void passed(unsigned cpu, void *left) {
    (void)cpu;
    checks++;
    end_run(own - (uint64_t)(uintptr_t)left);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
    size_t n = qemu_plugin_tb_n_insns(tb), i;
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &all, n);
    if (n == 0 || qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)) >= own_end) return;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &own, n);
    for (i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        if (is_check(insn))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, passed, 0, (void *)(uintptr_t)(n - i));
    }
}

static void ended(qemu_plugin_id_t id, void *user) {
    char text[300];
    int k, at;
    (void)id, (void)user;
    end_run(own);
    at = snprintf(text, sizeof text, "%llu %llu %llu", (unsigned long long)all,
                  (unsigned long long)checks, (unsigned long long)longest);
    for (k = 0; k < CLASSES; k++)
        at += snprintf(text + at, sizeof text - (size_t)at, " %.2f",
                       own ? 100.0 * (double)above[k] / (double)own : 0);
    snprintf(text + at, sizeof text - (size_t)at, "\n");
    qemu_plugin_outs(text);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
