/* mach.h - as macOS has it; see stdio.h. */
#ifndef SYSTEM_MACH_H
#define SYSTEM_MACH_H
#ifdef __cplusplus
extern "C" {
#endif
typedef unsigned thread_act_t, thread_flavor_t, mach_msg_type_number_t;
typedef int kern_return_t, *thread_info_t;
typedef struct time_value { int seconds, microseconds; } time_value_t;
struct thread_basic_info {
    time_value_t user_time, system_time;
    int cpu_usage, policy, run_state, flags, suspend_count, sleep_time;
};
#define THREAD_BASIC_INFO 3
#define THREAD_BASIC_INFO_COUNT \
    ((mach_msg_type_number_t)(sizeof(struct thread_basic_info) / sizeof(unsigned)))
#define TH_STATE_RUNNING 1
kern_return_t thread_info(thread_act_t thread, thread_flavor_t flavor, thread_info_t info,
                          mach_msg_type_number_t *count);
#ifdef __cplusplus
}
#endif
#endif
