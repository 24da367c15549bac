/* test_footprint_paper.c - the paper taken literally, against the truth and
   against footprint.h. */
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include "footprint_paper.inc"
#include "test.h"

static uint64_t memory[300000], table[200000], trace[4000];
static const double precisions[] = {1, .99, .9, .75, .5};

static uint64_t percentile(const paper *p, uint32_t column, uint32_t percent) {
    uint64_t all = 0, sum = 0, rank;
    uint32_t row;
    for (row = 0; row < 256; row++) all += p->cell[row * 256 + column];
    rank = (all * percent + 99) / 100;
    for (row = 0; (sum += p->cell[row * 256 + column]) < (rank ? rank : 1); row++) {
    }
    return row;
}

/* d strictly younger last accesses: the windows of a range hold d .. d + max(1,
   d (1 - c) / c). */
TEST(ranges_hold_the_truth) {
    uint64_t seed = 1, times[300], n;
    uint32_t c, i, wrong = 0;
    for (c = 0; c < 5; c++) {
        paper p;
        memset(times, 0, sizeof times);
        paper_start(&p, precisions[c]);
        for (n = 1; n <= 3000; n++) {
            uint64_t block = test_random(&seed) % (n % 500 < 250 ? 300 : 20), younger = 0;
            size_t r;
            paper_access(&p, block);
            times[block] = n;
            for (r = p.ranges; r-- > 0;) {
                uint64_t inside = 0, most = (uint64_t)((double)younger * (1 - p.c) / p.c + 1e-9),
                         end = r + 1 < p.ranges ? p.range[r + 1].first - 1 : n;
                for (i = 0; i < 300; i++) inside += times[i] >= p.range[r].first && times[i] <= end;
                wrong += inside != p.range[r].count;
                wrong += p.range[r].count > (most > 1 ? most : 1);
                younger += inside;
                if (n % 50) break;
            }
        }
        CHECK_EQ(wrong, 0);
        paper_end(&p);
    }
}

/* Both tell the same story: every percentile within c of the other's, but for
   the one block by which the literal ranges may fall short. */
TEST(agrees_with_marks) {
    uint64_t seed = 2;
    uint32_t c, i, b, q;
    static const uint32_t percents[] = {0, 5, 50, 95, 100};
    for (i = 0; i < 4000; i++) trace[i] = test_random(&seed) % (i % 1000 < 600 ? 400 : 30);
    for (c = 0; c < 5; c++) {
        footprint_config config = {0, 1 << 14, 0, 0, 0, 0, NULL, NULL, NULL};
        footprint fp;
        footprint_profile p;
        paper literal;
        paper_start(&literal, precisions[c]);
        config.c = precisions[c];
        CHECK(footprint_init(&fp, memory, sizeof memory, &config) > 0);
        footprint_access_many(&fp, trace, 4000);
        for (i = 0; i < 4000; i++) paper_access(&literal, trace[i]);
        CHECK_EQ(footprint_snapshot(&fp, &p, table, sizeof table), 0);
        for (b = 1; b <= footprint_bin(4000); b++) {
            uint64_t all = 0;
            for (i = 0; i < 256; i++) all += literal.cell[i * 256 + b];
            CHECK_EQ(all, footprint_windows(&p, b));
            for (q = 0; q < 5; q++) {
                uint32_t mine = footprint_percentile(&p, b, percents[q]),
                         paper_bin = (uint32_t)percentile(&literal, b, percents[q]);
                CHECK((double)footprint_bin_high(mine) >=
                      precisions[c] * (double)footprint_bin_low(paper_bin));
                CHECK((double)footprint_bin_high(paper_bin) + 1 >=
                      precisions[c] * (double)footprint_bin_low(mine));
            }
        }
        paper_end(&literal);
    }
}
