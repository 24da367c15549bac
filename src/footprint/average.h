/* ---- functions: averages alone, at a third of the cost ---- */

/* You provide the storage. The fields are private; footprint_average_get_stats
   reads them. */
typedef struct footprint_average {
    footprint_entry *table;          /* open hashing; time is that of the latest use, 0: empty */
    struct footprint_p_gap *gap, *scratch;
    footprint_bursts bursts;
    uint64_t now;                    /* number of the latest access, from 1 */
    uint64_t end;                    /* last access to count */
    uint64_t start;                  /* access at which the sampling ratio last changed */
    uint64_t first, followed;        /* first accesses; of those followed since start */
    uint64_t lost;
    uint32_t tracked, cap, buckets;  /* blocks in the table; so many make it full; its size */
    uint32_t newest, second;         /* buckets of the two latest blocks */
    uint32_t is_followed;            /* the latest access */
    uint32_t columns, flags, sample_log2;
    size_t   bytes, table_bytes;     /* of everything; of the table */
    void    *memory;                 /* what config.release gets */
    footprint_config config;
} footprint_average;

/* These do for a footprint_average what those of the same name do for a
   footprint. Its profile has the flag FOOTPRINT_AVERAGE: footprint_average_of,
   footprint_fill_time and footprint_miss_ratio_by_average read it. */
FOOTPRINT_API uint32_t footprint_average_init(footprint_average *av, void *memory, size_t bytes,
                                              const footprint_config *config);
FOOTPRINT_API uint32_t footprint_average_open(footprint_average *av,
                                              const footprint_config *config);
FOOTPRINT_API void     footprint_average_close(footprint_average *av);
FOOTPRINT_API size_t   footprint_average_bytes(const footprint_config *config, uint32_t blocks);

FOOTPRINT_API void footprint_average_access(footprint_average *av, uint64_t block);
FOOTPRINT_API void footprint_average_access_many(footprint_average *av, const uint64_t *blocks,
                                                 size_t count);
FOOTPRINT_API void footprint_average_access_repeat(footprint_average *av, uint64_t count);
FOOTPRINT_API void footprint_average_reference(footprint_average *av, const void *address,
                                               size_t bytes);
/* It looks at the whole table, unlike footprint_burst. */
FOOTPRINT_API void footprint_average_burst(footprint_average *av);

FOOTPRINT_API void   footprint_average_get_stats(const footprint_average *av,
                                                 footprint_stats *out);
/* It writes to scratch memory of av, so take it on the thread that counts. */
FOOTPRINT_API int    footprint_average_snapshot(const footprint_average *av,
                                                footprint_profile *profile, void *memory,
                                                size_t bytes);
FOOTPRINT_API size_t footprint_average_snapshot_bytes(const footprint_average *av);
