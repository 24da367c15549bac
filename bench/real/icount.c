/* icount.c - qemu-user plugin: prints how many instructions the program
   executed. Debian ships no qemu-plugin.h, so the few prototypes that are
   needed stand here (plugin interface version 1). */
#include <stdint.h>
#include <stdio.h>
struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id_t;
int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int add_u64, void *, uint64_t);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
void qemu_plugin_outs(const char *);

static uint64_t count;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, &count, qemu_plugin_tb_n_insns(tb));
}

static void ended(qemu_plugin_id_t id, void *user) {
    char text[64];
    (void)id, (void)user;
    snprintf(text, sizeof text, "instructions %llu\n", (unsigned long long)count);
    qemu_plugin_outs(text);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
