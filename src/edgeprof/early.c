/* ---- threads, longjmp, exit ---- */

EDGEPROF_API void edgeprof_join(const edgeprof_function *f, void *own) {
    uint32_t slots = f->bits == 1 ? (f->slots + 7) / 8 : f->slots, i;
    for (i = 0; i < slots; i++) switch (f->bits) {
        case 1:
        case 8: {
            uint8_t *to = (uint8_t *)f->counters + i, *from = (uint8_t *)own + i;
            unsigned sum = f->bits == 1 ? (unsigned)(*to | *from) : (unsigned)*to + *from;
            *to = (uint8_t)(sum > 255 ? 255 : sum);
            *from = 0;
            break;
        }
        case 16: {
            uint16_t *from = (uint16_t *)own + i, *to = (uint16_t *)f->counters + i;
            *to = (uint16_t)(*to + *from);
            *from = 0;
            break;
        }
        case 32:
            ((uint32_t *)f->counters)[i] += ((uint32_t *)own)[i];
            ((uint32_t *)own)[i] = 0;
            break;
        default:
            ((uint64_t *)f->counters)[i] += ((uint64_t *)own)[i];
            ((uint64_t *)own)[i] = 0;
            break;
        }
}

/* The chain holds the frames of all running activations that have one. longjmp
   leaves them there until edgeprof_come_back cuts it: the landing activation
   and all behind it ended where they stood, and the landing one began anew
   behind setjmp. The flow law at v: in + reentry = count = out + early. */

EDGEPROF_API uint32_t edgeprof_enter(edgeprof_chain *chain, const edgeprof_function *f) {
    uint32_t frame = chain->count++;
    if (frame < chain->max) {
        chain->frames[frame].function = f;
        chain->frames[frame].vertex = 0;
    } else if (chain->lost < UINT32_MAX) chain->lost++;
    return frame;
}

EDGEPROF_API void edgeprof_at(edgeprof_chain *chain, uint32_t frame, uint32_t vertex) {
    if (frame < chain->max) chain->frames[frame].vertex = vertex;
}

static void edgeprof_p_end_early(const edgeprof_chain *chain, uint32_t from, int by) {
    uint32_t i;
    for (i = from; i < chain->count && i < chain->max; i++) {
        const edgeprof_frame *frame = &chain->frames[i];
        if (frame->function->early) frame->function->early[frame->vertex] += (uint32_t)by;
    }
}

EDGEPROF_API void edgeprof_running(const edgeprof_chain *chain, int by) {
    edgeprof_p_end_early(chain, 0, by);
}

EDGEPROF_API void edgeprof_come_back(edgeprof_chain *chain, uint32_t frame, uint32_t vertex) {
    edgeprof_p_end_early(chain, frame, 1);
    chain->count = frame + 1;
    if (frame >= chain->max) return;
    if (chain->frames[frame].function->reentry) chain->frames[frame].function->reentry[vertex]++;
    chain->frames[frame].vertex = vertex;
}
