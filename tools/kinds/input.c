/* input.c - parts of all kinds, each to who knows it. */
#include "kinds/input.h"
#include "base/tool.h"

int input_read(input *in, const dump *d, dump_fault *fault) {
    size_t i;
    int faulty = 0;
    for (i = 0; i < d->part_count && !faulty; i++) {
        const dump_part *part = &d->parts[i];
        switch (part->kind) {
        case DUMP_SAMPLED:   faulty = tally_read(&in->sampled, d, part, fault); break;
        case DUMP_CONTEXTS:  faulty = contexts_read(&in->contexts, d, part, fault); break;
        case DUMP_FOOTPRINT: faulty = footprints_read(&in->footprints, d, part, fault); break;
        case DUMP_STREAMS:   faulty = streams_read(&in->streams, d, part, fault); break;
        default:             text_bytes(&in->others, d->data + part->offset, part->bytes);
        }
    }
    return faulty;
}

int input_open(input *in, const char *path) {
    dump d;
    dump_fault fault;
    int status = dump_open(&d, path);
    if (status != TOOL_OK) return status;
    if (input_read(in, &d, &fault) != 0) status = dump_blame(path, &fault);
    dump_free(&d);
    return status;
}

void input_settle(input *in) {
    tally_settle(&in->sampled);
    contexts_settle(&in->contexts);
    footprints_settle(&in->footprints);
    streams_settle(&in->streams);
}

void input_write(input *in, text *out) {
    tally_write(&in->sampled, out);
    contexts_write(&in->contexts, out);
    footprints_write(&in->footprints, out);
    streams_write(&in->streams, out);
    text_bytes(out, in->others.data, in->others.size);
}

void input_free(input *in) {
    tally_free(&in->sampled);
    contexts_free(&in->contexts);
    footprints_free(&in->footprints);
    streams_free(&in->streams);
    text_free(&in->others);
}
