/* random_ends.c - stands in for the runtime of checks: a check begins a new run
   of passes (random_cycles.awk), and lets the next one come here, too. */
extern __thread unsigned bursty_here_tls_64;
extern long fuel, ends_run;
extern char *ends_stack;
__thread unsigned bursty_here_tls_64;
long fuel = 100000, ends_run;
char *ends_stack;

unsigned bursty_hit(const void *site, unsigned long value);
void bursty_note(const void *site, unsigned long value, unsigned kind);

unsigned bursty_hit(const void *site, unsigned long value) {
    (void)site;
    (void)value;
    bursty_here_tls_64 = 0;
    ends_run = 0;
    return 0;
}

void bursty_note(const void *site, unsigned long value, unsigned kind) {
    (void)site;
    (void)value;
    (void)kind;
}
