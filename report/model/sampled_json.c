/* sampled_json.c - the columns of model/sampled.c as JSON (docs/formats.md),
   for the page's script and for programs. */
#include "base/json.h"
#include "report/model/sampled.h"
#include <math.h>

static void add_range(text *out, const char *key, interval range) {
    text_format(out, ",\"%s_low\":", key);
    json_real(out, range.low < 0 ? NAN : range.low);
    text_format(out, ",\"%s_high\":", key);
    json_real(out, range.high < 0 ? NAN : range.high);
}

static void add_item(text *out, const ranges *r, const report_item *item, int is_pair) {
    double worth = ranges_worth(r, &item->sums, item->kind);
    size_t n = 0;
    text_add(out, "{");
    json_field(out, &n, "site", item->site);
    if (is_pair) json_field(out, &n, "caller", item->caller);
    json_field(out, &n, "sampled", item->sums.sampled);
    json_field(out, &n, "estimated", ranges_estimated(&item->sums));
    json_field_real(out, &n, "share", item->share);
    add_range(out, "share", ranges_share(r, &item->sums, item->kind));
    json_field_real(out, &n, "worth", worth < 0 ? NAN : worth);
    json_field(out, &n, "bursts", item->sums.bursts);
    add_range(out, "estimated", ranges_count(r, &item->sums, item->kind));
    json_field_real(out, &n, "time_ns", item->is_timed ? item->time_ns : NAN);
    json_field_real(out, &n, "time_share", item->is_timed ? item->time_share : NAN);
    text_add(out, "}");
}

static void add_programs(text *out, const tally *s) {
    size_t i;
    text_add(out, "\"programs\":[");
    for (i = 0; i < s->programs.count; i++) {
        const sampled_program *program = &s->programs.at[i];
        size_t n = 0;
        json_comma(out, i);
        text_add(out, "{");
        json_field_string(out, &n, "name", program->name);
        json_field(out, &n, "clock_hz", program->clock_hz);
        json_field(out, &n, "checks", program->checks);
        json_field(out, &n, "events", program->events);
        json_field(out, &n, "lost", program->lost);
        text_add(out, "}");
    }
    text_add(out, "],\n");
}

static void add_profiles(text *out, const report_sampled *c) {
    const tally *s = c->tally;
    size_t i;
    text_add(out, "\"profiles\":[");
    for (i = 0; i < s->profiles.count; i++) {
        const sampled_profile *profile = &s->profiles.at[i];
        size_t n = 0;
        json_comma(out, i);
        text_add(out, "{");
        json_field(out, &n, "program", profile->program);
        json_field(out, &n, "number", profile->number);
        json_field(out, &n, "check_count", profile->check_count);
        json_field(out, &n, "burst_count", profile->burst_count);
        json_field(out, &n, "jitter_percent", profile->jitter_percent);
        json_field(out, &n, "classes", profile->classes);
        json_field(out, &n, "flags", profile->flags);
        json_field(out, &n, "bursts", profile->bursts);
        json_field(out, &n, "events", profile->events);
        json_field_string(out, &n, "records",
                          ranges_records(&c->ranges, c->tally, c->has_contexts, profile));
        text_add(out, "}");
    }
    text_add(out, "],\n");
}

static void add_threads(text *out, const tally *s) {
    size_t i;
    text_add(out, "\"threads\":[");
    for (i = 0; i < s->threads.count; i++) {
        const sampled_thread *thread = &s->threads.at[i];
        size_t n = 0;
        json_comma(out, i);
        text_add(out, "{");
        json_field_string(out, &n, "name", thread->name);
        json_name(out, &n, "ended");
        text_add(out, thread->flags & THREAD_ENDED ? "true" : "false");
        json_field(out, &n, "program", thread->program);
        json_field(out, &n, "number", thread->number);
        json_field(out, &n, "checks", thread->checks);
        json_field(out, &n, "burst_checks", thread->burst_checks);
        json_field(out, &n, "events", thread->events);
        json_field(out, &n, "lost", thread->lost);
        text_add(out, "}");
    }
    text_add(out, "],\n");
}

static void add_sites(text *out, const report_sampled *c) {
    const tally *s = c->tally;
    size_t i;
    text_add(out, "\"sites\":[");
    for (i = 0; i < s->sites.count; i++) {
        size_t n = 0;
        json_comma(out, i);
        text_add(out, "{");
        json_field_string(out, &n, "name", c->names[i]);
        json_field_string(out, &n, "file", s->sites.at[i].file);
        json_field(out, &n, "line", s->sites.at[i].line);
        json_field(out, &n, "kind", s->sites.at[i].kind);
        text_add(out, "}");
    }
    text_add(out, "],\n");
}

static void add_items(text *out, const report *r, const report_sampled *c, int is_pair) {
    const report_item *items = is_pair ? c->pairs : c->functions;
    size_t count = is_pair ? c->pair_count : c->function_count;
    size_t i;
    text_add(out, is_pair ? "\"pairs\":[" : "\"functions\":[");
    for (i = 0; i < count; i++) {
        json_comma(out, i);
        add_item(out, &c->ranges, &items[i], is_pair);
        save_some(r->out, out);
    }
    text_add(out, "],\n");
}

void sampled_json(const void *columns, const report *r, text *out) {
    static const char *const bases[] = {"exact", "bursts", "events"};
    const report_sampled *c = (const report_sampled *)columns;
    size_t n = 0;
    text_format(out, "{\n\"intervals\":\"%s\",\n", bases[c->ranges.basis]);
    add_programs(out, c->tally);
    add_profiles(out, c);
    add_threads(out, c->tally);
    add_sites(out, c);
    add_items(out, r, c, 0);
    add_items(out, r, c, 1);
    json_field(out, &n, "functions_left_out", c->functions_left_out);
    json_field(out, &n, "pairs_left_out", c->pairs_left_out);
    text_format(out, ",\n\"callers_unknown\":%.6g}", c->callers_unknown);
}
