/* later.c - a library that comes and goes while its program runs. Of
   test_record_traps.sh. */
unsigned later_call(unsigned (*f)(unsigned), unsigned n);
unsigned later_call(unsigned (*f)(unsigned), unsigned n) {
    return f(n) + 1;
}
