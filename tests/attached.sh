# attached.sh - what tests of `-p PID` wait for. The programs that they look at run until they are told
# to end. So what a test sees depends on the processor time that such a program had while it was looked
# at, not on how long that took.
hz=$(getconf CLK_TCK) enough=0

# Fills $state and $used: the processor time of a process and its threads, in hundredths of a second.
# A process that is gone is in state Z.
look_at() { # PROCESS
    state=Z used=0 line=
    read -r line 2>/dev/null <"/proc/$1/stat" || return 0
    # shellcheck disable=SC2086
    set -- ${line##*) }
    state=$1 used=$(((${12} + ${13}) * 100 / hz))
}
state_is() { # STATE PROCESS
    look_at "$2"
    [ "$state" = "$1" ]
}
is_attached() { # TOOL: holds an event of the kernel, or has ended
    ls -l "/proc/$1/fd" 2>/dev/null | grep -q perf_event || state_is Z "$1"
}
has_used() { # PROCESS HUNDREDTHS
    look_at "$1"
    [ "$used" -ge "$2" ]
}

# Waits until the tool looks at the process. Fills $enough: what the process will have used then, and so
# many hundredths more.
attached() { # TOOL PROCESS HUNDREDTHS
    wait_for is_attached "$1" && ! state_is Z "$1" && look_at "$2" && enough=$((used + $3))
}
is_seen() { # TOOL PROCESS HUNDREDTHS: and waits for that
    attached "$@" && wait_for has_used "$2" $enough
}
