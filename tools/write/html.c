/* html.c - one page that needs nothing else: facts and plain tables as HTML, the model as JSON, and the script
   of page/*.js, which draws from it in their place. Nothing is loaded, and the policy in its head lets nothing be. */
#include "model/report.h"

enum { PLAIN_ROWS = 50 };                         /* of each table without scripts */

static void add_lines(const char *const *lines, text *out) {
    for (; *lines; lines++) { text_add(out, *lines); text_add(out, "\n"); }
}

static void add_fact(const char *name, const char *css_class, const text *value, text *out) {
    text_format(out, "<li%s><span>", css_class);
    text_html(out, name);
    text_add(out, "</span><b>");
    text_bytes(out, value->data, value->size);
    text_add(out, "</b></li>\n");
}

/* "1 %", or "1 %, 0.1 %" where runs at several rates were merged. */
static void add_rates_asked(const tally *s, text *out) {
    double last = -1;
    size_t i;
    for (i = 0; i < s->profiles.count; i++) {
        double rate = report_rate(&s->profiles.at[i]);
        if (!report_fills_table(s, &s->profiles.at[i]) || (rate >= last && rate <= last)) continue;
        text_format(out, "%s%.3g %%%s", last < 0 ? "" : ", ", 100 * rate,
                    s->profiles.at[i].flags & PROFILE_BUDGET ? " (held to a budget)" : "");
        last = rate;
    }
}

static void add_count_fact(const char *name, const char *css_class, uint64_t count, text *out) {
    text value = {NULL, 0, 0};
    text_count(&value, count);
    add_fact(name, css_class, &value, out);
    text_free(&value);
}

static void add_facts(const report *r, text *out) {
    text value = {NULL, 0, 0};
    size_t i;
    text_add(out, "<ul class=\"facts\">\n");
    for (i = 0; i < r->notes.count; i++) {
        value.size = 0;
        text_html(&value, r->notes.at[i].value);
        add_fact(r->notes.at[i].name, " class=\"note\"", &value, out);
    }
    if (r->sampled->profiles.count) {
        value.size = 0;
        add_rates_asked(r->sampled, &value);
        add_fact("sampling asked", "", &value, out);
        value.size = 0;
        text_format(&value, "%.3g %%", 100 * r->rate_seen);
        add_fact("sampling seen", "", &value, out);
    }
    if (r->sampled->programs.count) {
        add_count_fact("checks", "", r->checks, out);
        add_count_fact("events (calls, returns, ...)", "", r->events, out);
        add_count_fact("threads", "", r->sampled->threads.count, out);
        add_count_fact("events lost", r->lost ? " class=\"bad\"" : "", r->lost, out);
    }
    text_add(out, "</ul>\n");
    text_free(&value);
}

static void add_count_cell(uint64_t count, const char *css_class, text *out) {
    text_format(out, "<td class=\"%s\">", css_class);
    text_count(out, count);
    text_add(out, "</td>");
}

static void add_item(const report *r, const report_item *item, double most, text *out) {
    const tally_site *site = &r->sampled->sites.at[item->site];
    text_add(out, "<tr><td><div class=\"name\">");
    if (item->caller != TALLY_NO_SITE) {
        text_html(out, r->sampled->sites.at[item->caller].name);
        text_add(out, " &rarr; ");
    }
    text_html(out, site->name);
    text_add(out, "</div><div class=\"place\">");
    text_html(out, site->file);
    text_format(out, ":%lu, %s</div></td>", (unsigned long)site->line, report_class(item->kind));
    text_format(out, "<td class=\"share\">%.2f %%<div class=\"bar\"><i style=\"width:%.1f%%\"></i></div></td>", 100 * item->heat,
                most > 0 ? 100 * item->heat / most : 0);
    add_count_cell(item->estimated, "number", out);
    add_count_cell(item->sampled, "number desk", out);
    text_add(out, "</tr>\n");
}

static void add_items(const report *r, const char *title, const report_item *items, size_t count, text *out) {
    double most = 0;
    size_t i;
    if (count == 0) return;
    for (i = 0; i < count; i++) if (items[i].heat > most) most = items[i].heat;
    text_format(out, "<section class=\"card\"><header><h2>%s</h2></header><table><thead><tr><th>name</th><th>share</th>"
                "<th class=\"number\">estimated</th><th class=\"number desk\">sampled</th></tr></thead><tbody>\n", title);
    for (i = 0; i < count && i < PLAIN_ROWS; i++) add_item(r, &items[i], most, out);
    text_add(out, "</tbody></table></section>\n");
}

static void add_threads(const tally *s, text *out) {
    size_t i;
    text_add(out, "<section class=\"card\"><header><h2>Threads</h2></header><table><thead><tr><th>thread</th><th class=\"number\">"
             "checks</th><th class=\"number\">events</th><th class=\"number\">lost</th></tr></thead><tbody>\n");
    for (i = 0; i < s->threads.count && i < PLAIN_ROWS; i++) {
        const tally_thread *thread = &s->threads.at[i];
        text_add(out, "<tr><td>");
        if (s->programs.count > 1) { text_html(out, s->programs.at[thread->program].name); text_add(out, " "); }
        if (*thread->name) text_html(out, thread->name);
        else text_format(out, "thread %lu", (unsigned long)thread->number);
        text_add(out, thread->flags & THREAD_ENDED ? " <span class=\"soft\">ended</span></td>" : "</td>");
        add_count_cell(thread->checks, "number", out);
        add_count_cell(thread->events, "number", out);
        add_count_cell(thread->lost, "number", out);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody></table>");
    if (s->threads.count > PLAIN_ROWS)
        text_format(out, "<p class=\"soft small\">and %lu more</p>", (unsigned long)(s->threads.count - PLAIN_ROWS));
    text_add(out, "</section>\n");
}

static void add_profiles(const tally *s, text *out) {
    size_t i;
    text_add(out, "<section class=\"card\"><header><h2>How it was sampled</h2></header>\n<p class=\"small\">");
    for (i = 0; i < s->profiles.count; i++) {
        const tally_profile *profile = &s->profiles.at[i];
        if (s->programs.count > 1) { text_html(out, s->programs.at[profile->program].name); text_add(out, " "); }
        text_format(out, "%s %lu: ", s->programs.count > 1 ? "profile" : "Profile", (unsigned long)profile->number);
        if (profile->check_count == UINT32_MAX) text_add(out, "always on");
        else text_format(out, "bursts of %lu checks, %lu checks apart, jittered by %lu %%", (unsigned long)profile->burst_count,
                         (unsigned long)profile->check_count, (unsigned long)profile->jitter_percent);
        if (profile->flags & PROFILE_BUDGET) text_add(out, ", held to a budget");
        if (profile->flags & PROFILE_REENABLE) text_add(out, ", bursts re-enabled by place");
        if (profile->flags & PROFILE_OFF) text_add(out, ", switched off");
        text_add(out, "; ");
        text_count(out, profile->bursts);
        text_add(out, " bursts saw ");
        text_count(out, profile->events);
        text_add(out, " events.<br>\n");
        if (report_waits(profile))
            text_format(out, "No burst yet: the first comes within about %lu checks of a thread; run longer or lower "
                        "check_count.<br>\n", (unsigned long)profile->check_count);
    }
    text_add(out, "</p><p class=\"soft small\">Estimated counts are sampled ones times the gap before their burst. The error is\n"
             "twice the relative standard error of a count, 2 / &radic;sampled: the truth is within it 95 times in 100 if bursts\n"
             "fall independently of what the program does, which jitter is for. Time is what passed between events of one burst,\n"
             "scaled alike; it includes what recording costs, and functions shorter than a clock reading come out too long.</p></section>\n");
}

void report_html(const report *r, text *out) {
    text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    text_add(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
             "script-src 'unsafe-inline'\">\n<title>");
    text_html(out, r->title);
    text_add(out, " - bursty</title>\n<style>\n");
    add_lines(page_style, out);
    text_add(out, "</style>\n</head>\n<body>\n<main>\n<h1>");
    text_html(out, r->title);
    text_add(out, "</h1>\n<p class=\"lead\" id=\"lead\"></p>\n");
    add_facts(r, out);
    text_add(out, "<div id=\"sampled\">\n");
    add_items(r, "Hot functions", r->functions.at, r->functions.count, out);
    add_items(r, "Who calls whom", r->pairs.at, r->pairs.count, out);
    if (r->sampled->programs.count) {
        text_add(out, "<div id=\"method\">\n");
        add_profiles(r->sampled, out);
        add_threads(r->sampled, out);
        text_add(out, "</div>\n");
    }
    text_add(out, "</div>\n<div id=\"contexts\"></div>\n<div id=\"footprints\"></div>\n");
    if (r->trees.count || r->footprints.count)
        text_add(out, "<noscript><p class=\"card\">The flame graph and the footprint curves need JavaScript; "
                 "<code>bursty report --text</code> prints their numbers.</p></noscript>\n");
    text_add(out, "</main>\n<div id=\"tip\" role=\"status\"></div>\n<script type=\"application/json\" id=\"data\">\n");
    report_json(r, out);
    text_add(out, "</script>\n<script>\n");
    add_lines(page_scripts, out);
    text_add(out, "</script>\n</body>\n</html>\n");
}
