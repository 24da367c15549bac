/* svg.c - all curves of a report as one picture in SVG, one frame below the
   other. The x axis is logarithmic, and so is the y axis where the table says
   so: these are the paper's Figures 1 and
   2. */
#include "report/model/report.h"
#include <math.h>

enum { WIDTH = 980, HEIGHT = 500, LEFT = 80, FRAME_WIDTH = 760, FRAME_HEIGHT = 390, TOP = 44 };

static const char *const colours[] = { "#1b6ca8", "#2a9d8f", "#222", "#e08e0b", "#c1272d", "#888",
    "#7b4fa3" };

typedef struct frame {
    const report_table *table;
    double top, x0, x1, y0, y1; /* y0, y1: of the values as drawn */
} frame;

/* log2, but a line from 0 to 1 below 1. */
static double logarithm(double value) { return value < 1 ? value - 1 : log(value) / log(2.); }

static double number(const frame *f, size_t row, size_t column) {
    const report_cell *cell = &f->table->cells[row * f->table->column_count + column];
    return f->table->columns[column].type == REPORT_COUNT ? (double)cell->count : cell->real;
}

static int is_there(double value) { return value >= 0 && value < 1e300; }

static double scale_y(const frame *f, double value) {
    return f->table->shape == REPORT_CURVE_LOG_Y ? logarithm(value) : value;
}

static double x_of(const frame *f, double value) {
    double part = (logarithm(value) - f->x0) / (f->x1 - f->x0);
    return (double)LEFT + (double)FRAME_WIDTH * part;
}

static double bottom_of(const frame *f) { return f->top + (double)FRAME_HEIGHT; }

static double y_of(const frame *f, double value) {
    double part = (scale_y(f, value) - f->y0) / (f->y1 - f->y0);
    return f->top + (double)FRAME_HEIGHT * (1 - part);
}

static void measure(frame *f) {
    size_t row, column;
    f->x0 = f->table->rows ? logarithm(number(f, 0, 0)) : 0;
    f->x1 = f->x0 + 1;
    f->y0 = f->table->shape == REPORT_CURVE_LOG_Y ? -1 : 0;
    f->y1 = f->y0 + 1;
    for (row = 0; row < f->table->rows; row++) {
        double x = logarithm(number(f, row, 0));
        if (x > f->x1) f->x1 = x;
        for (column = 1; column < f->table->column_count; column++) {
            double y = number(f, row, column);
            if (is_there(y) && scale_y(f, y) > f->y1) f->y1 = scale_y(f, y);
        }
    }
}

/* 512, 4K, 2M: ticks are powers of two. */
static void add_tick(text *out, double value) {
    static const char units[] = "KMGTPE";
    int unit = -1;
    for (; value >= 1024; value /= 1024) unit++;
    text_format(out, "%.3g", value);
    if (unit >= 0) text_bytes(out, &units[unit < 5 ? unit : 5], 1);
}

static void add_axes(text *out, const frame *f) {
    double power, step = f->x1 - f->x0 > 16 ? 2 : 1;
    for (power = ceil(f->x0); power <= f->x1; power += step) {
        double x = x_of(f, pow(2, power));
        if (power < 0) continue;
        text_format(out, "<path class='grid' d='M%.1f %.1fv%d'/>", x, f->top, FRAME_HEIGHT);
        text_format(out, "<text x='%.1f' y='%.1f' text-anchor='middle'>", x, bottom_of(f) + 16);
        add_tick(out, pow(2, power));
        text_add(out, "</text>\n");
    }
    step = (f->y1 - f->y0) / 5;
    if (f->table->shape == REPORT_CURVE_LOG_Y) step = f->y1 - f->y0 > 16 ? 2 : 1;
    for (power = f->y0; power <= f->y1 + step / 1000; power += step) {
        int is_log = f->table->shape == REPORT_CURVE_LOG_Y;
        double value = is_log ? power < 0 ? 0 : pow(2, power) : power, y = y_of(f, value);
        text_format(out, "<path class='grid' d='M%d %.1fh%d'/>", LEFT, y, FRAME_WIDTH);
        text_format(out, "<text x='%d' y='%.1f' text-anchor='end'>", LEFT - 6, y + 4);
        if (is_log) add_tick(out, value);
        else text_format(out, "%.3g", value);
        text_add(out, "</text>\n");
    }
    text_format(out, "<text x='%d' y='%.1f' text-anchor='middle'>", LEFT + FRAME_WIDTH / 2,
        bottom_of(f) + 36);
    text_html(out, f->table->columns[0].key);
    text_add(out, "</text>\n");
}

static void add_curve(text *out, const frame *f, size_t column) {
    const char *colour = colours[(column - 1) % (sizeof colours / sizeof *colours)], *pen = "M";
    size_t row;
    text_format(out, "<path class='curve' stroke='%s' d='", colour);
    for (row = 0; row < f->table->rows; row++) {
        double y = number(f, row, column);
        if (!is_there(y)) continue;
        text_format(out, "%s%.1f %.1f", pen, x_of(f, number(f, row, 0)), y_of(f, y));
        pen = "L";
    }
    text_format(out, "'/>\n<text x='%d' y='%.1f' fill='%s'>", LEFT + FRAME_WIDTH + 10,
        bottom_of(f) - 18 * (double)column, colour);
    text_html(out, f->table->columns[column].label);
    text_add(out, "</text>\n");
}

static void add_frame(text *out, const report_table *table, double top) {
    frame f;
    size_t column;
    f.table = table;
    f.top = top + (double)TOP;
    measure(&f);
    text_format(out, "<text class='title' x='%d' y='%.1f'>", LEFT, top + 24);
    text_html(out, table->title);
    text_add(out, "</text>\n");
    add_axes(out, &f);
    for (column = 1; column < table->column_count; column++) add_curve(out, &f, column);
}

static void write_svg(const report *r, text *out) {
    text frames = { NULL, 0, 0 };
    size_t i, k, count = 0;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            const report_table *table = r->parts[i].tables[k];
            if (table->shape != REPORT_ROWS)
                add_frame(&frames, table, (double)HEIGHT * (double)count++);
        }
    }
    text_format(out,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%lu' viewBox='0 0 %d %lu'",
        WIDTH, (unsigned long)(HEIGHT * count), WIDTH, (unsigned long)(HEIGHT * count));
    text_add(out, " font-family='sans-serif' font-size='12'>\n<title>");
    text_html(out, r->title);
    text_add(out,
        "</title>\n<style>.grid{stroke:#ddd;fill:none}.curve{fill:none;stroke-width:1.6}"
        ".title{font-size:15px}</style>\n<rect width='100%' height='100%' fill='#fff'/>\n");
    if (frames.size) text_bytes(out, frames.data, frames.size);
    text_add(out, "</svg>\n");
    text_free(&frames);
}

static int has_curves(const report *r) {
    size_t i, k;
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            if (r->parts[i].tables[k]->shape != REPORT_ROWS) return 1;
        }
    }
    return 0;
}

const report_writer writer_svg = {
    "svg",
    "the curves of footprints as one picture",
    REPORT_USES_TITLE,
    0,
    write_svg,
    has_curves,
    NULL,
};
