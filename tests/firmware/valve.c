/* valve.c - decisions of a small controller, for test_mcdc_m3.sh: the same
   source is compiled with
   --cover=mcdc for a board and for the host, and both must show the same
   MC/DC. */
unsigned valve_all(void);

static int is_opened(unsigned low, unsigned off, unsigned forced) {
    return (low && !off) || forced;
}

static int is_safe(const unsigned char *s) {
    /* more than 64 runs: the program itself finds out which conditions were
       independent */
    return (s[0] || s[1]) && (s[2] || s[3]) && (s[4] || s[5]) && (s[6] || s[7]) &&
           (s[8] || s[9]) && (s[10] || s[11]) && s[12];
}

unsigned valve_all(void) {
    unsigned char sensors[13];
    unsigned sum = 0, turn, i, state = 12345;
    for (turn = 0; turn < 40; turn++) {
        for (i = 0; i < 13; i++) {
            state = state * 1103515245u + 12345u;
            sensors[i] = (state >> 16 & 7) > 1;
        }
        sum = sum * 3 + (unsigned)is_safe(sensors);
        if (turn < 3 || (turn > 30 && sum % 2)) sum += (unsigned)is_opened(turn, sum & 1, turn > 1);
    }
    return sum;
}
