# attached.sh - what tests of `-p PID` wait for. The programs that they look at run until they are told
# to end. So what a test sees depends on the processor time that such a program had while it was looked
# at, not on how long that took.

# The processor time of a process and its threads, in hundredths of a second.
used() { # PROCESS
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(100 * ($12 + $13) / hz) }' "/proc/$1/stat"
}
state_is() { # STATES PROCESS: a process that is gone is in state Z
    state=$(sed 's/.*) \(.\).*/\1/' "/proc/$2/stat" 2>/dev/null)
    case ${state:-Z} in [$1]) ;; *) false ;; esac
}
is_attached() { # TOOL: holds an event of the kernel, or has ended
    ls -l "/proc/$1/fd" 2>/dev/null | grep -q perf_event || state_is Z "$1"
}
has_used() { [ "$(used "$1")" -ge "$2" ]; }

# Waits until the tool looks at the process and then until that has used so much more.
is_seen() { # TOOL PROCESS HUNDREDTHS
    wait_for is_attached "$1" && ! state_is Z "$1" && wait_for has_used "$2" $(($(used "$2") + $3))
}
