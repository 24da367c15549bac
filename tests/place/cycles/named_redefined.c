/* holds, checked: a pragma that renames for the linker. */
#pragma redefine_extname other walk
int other(int n);
int walk(int n) { return other(n + 1) + 1; }
int main(void) { return walk(0); }
