/* holds, checked: a builtin that calls. */
static void dive(void) { __builtin_apply((void (*)())dive, __builtin_apply_args(), 64); }
int main(void) { dive(); return 0; }
