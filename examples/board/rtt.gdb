# rtt.gdb - reads what examples/board/rtt.h writes, as a probe does: docs/firmware.md.
# gdb starts the emulator and talks with it by a pipe. On a board, the line "target" names your probe.
set pagination off
set confirm off
set breakpoint pending on
target remote | exec timeout 300 qemu-system-arm -M mps2-an385 -icount shift=6 -nographic -monitor none -serial none -S -gdb stdio -kernel rtt.elf
shell rm -f rtt.brst
break rtt_wait
break leave
set $stops = 0
set $left = 0
# A ring of 256 bytes needs few stops; a program that never comes to its end must not hold the reader.
while $left == 0 && $stops < 10000
  continue
  set $stops = $stops + 1
  set $from = rtt.up.read
  set $to = rtt.up.written
  if $to < $from
    append binary memory rtt.brst rtt.up.bytes+$from rtt.up.bytes+rtt.up.size
    set $from = 0
  end
  if $from < $to
    append binary memory rtt.brst rtt.up.bytes+$from rtt.up.bytes+$to
  end
  set var rtt.up.read = $to
  if $pc == (long)&leave || $pc == (long)&leave - 1
    set $left = 1
  end
end
