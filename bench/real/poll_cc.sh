#!/bin/sh
# poll_cc.sh ARGUMENTS... - gcc as it stands behind `bursty cc` for the bench's row "poll": what
# checks cost that read one shared flag, as with BURSTY_POLL of bursty.h, and count nothing.
# `bursty cc` itself writes no such checks; here they are made of the ones that it wrote.
flag='extern __attribute__((visibility("hidden"))) volatile unsigned char bursty_cc_open'
flag="$flag __asm__(\"bursty_p_open\");"
for word in "$@"; do
    case $word in
    *.i)
        [ -f "$word" ] || continue # it is what the preprocessor will write
        sed -i -e 's/(int)--bursty_cc_word<0/bursty_cc_open!=0/g' \
            -e 's/(int)bursty_cc_word<0/bursty_cc_open!=0/g' \
            -e "s/^struct bursty_cc_site {/$flag &/" "$word" || exit 2
        ;;
    esac
done
exec gcc -DBURSTY_POLL "$@"
