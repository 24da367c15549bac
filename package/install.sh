#!/bin/sh
# install.sh install|uninstall|list BUILD PREFIX DESTDIR - puts what `make` built where it belongs,
# takes it away again, or names the files. All three go by one list, so that nothing is forgotten.
# A fault is one line that names the place, and status 2.
set -u
what=$1 build=$2 prefix=$3 destdir=$4
cd "$(dirname "$0")/.." || exit 2
say() { echo "install: $*" >&2; exit 2; }
case $prefix in /*) ;; *) say "PREFIX=$prefix: an absolute path is wanted" ;; esac
case $destdir in '' | /*) ;; *) say "DESTDIR=$destdir: an absolute path is wanted" ;; esac
root=$destdir$prefix

# FROM TO MODE, a line each; a link has the mode "link", and FROM is what it says.
list() {
    for header in *.h; do echo "$header include/$header 644"; done
    echo "$build/bursty bin/bursty 755"
    echo "$build/bursty-lab bin/bursty-lab 755"
    echo "bursty bin/bursty-cc link"
    [ -f "$build/bursty-record.so" ] &&
        echo "$build/bursty-record.so lib/bursty/bursty-record.so 644"
    [ -f "$build/bursty-heap.so" ] &&
        echo "$build/bursty-heap.so lib/bursty/bursty-heap.so 644"
    for name in cc gcc clang c89 c99 c++ g++ clang++; do
        echo "../../../bin/bursty lib/bursty/masquerade/$name link"
    done
    for page in "$build"/package/man/*.1; do echo "$page share/man/man1/${page##*/} 644"; done
    for program in bursty bursty-lab; do
        echo "$build/package/$program.bash share/bash-completion/completions/$program 644"
        echo "$build/package/$program.zsh share/zsh/site-functions/_$program 644"
        echo "$build/package/$program.fish share/fish/vendor_completions.d/$program.fish 644"
    done
    echo "$build/package/bursty.pc lib/pkgconfig/bursty.pc 644"
    for file in config config-version; do
        echo "$build/package/bursty-$file.cmake lib/cmake/bursty/bursty-$file.cmake 644"
    done
    echo "package/bursty-cc.cmake lib/cmake/bursty/bursty-cc.cmake 644"
    for page in README.md CHANGELOG.md LICENSE docs/*.md docs/*.png examples/*.c; do
        echo "$page share/doc/bursty/$page 644"
    done
}

# The nearest folder that is there must be one that may be written.
may_write() { # FOLDER
    folder=$1
    while [ ! -e "$folder" ]; do folder=${folder%/*}; folder=${folder:-/}; done
    [ -d "$folder" ] || say "$folder: not a folder"
    [ -w "$folder" ] && [ -x "$folder" ] ||
        say "$folder: no right to write; as root, or with PREFIX=\$HOME/.local"
}

case $what in
list) list | while read -r _ to _; do echo "$root/$to"; done ;;
install)
    for folder in bin lib include share; do may_write "$root/$folder"; done
    list | while read -r from to mode; do
        file=$root/$to
        mkdir -p "${file%/*}" 2>/dev/null || say "${file%/*}: cannot be made"
        rm -f "$file" 2>/dev/null
        if [ "$mode" = link ]; then ln -s "$from" "$file" 2>/dev/null
        else cp "$from" "$file" 2>/dev/null && chmod "$mode" "$file"; fi ||
            say "$file: cannot be written"
    done || exit 2
    echo "installed in $root: $(list | wc -l | tr -d ' ') files"
    ;;
uninstall)
    list | while read -r _ to _; do
        rm -f "$root/$to" 2>/dev/null || say "$root/$to: cannot be removed"
    done || exit 2
    # Folders of our own, and those above them that are empty now.
    list | while read -r _ to _; do echo "${to%/*}"; done | sort -ru | while read -r folder; do
        while [ "$folder" != . ] && rmdir "$root/$folder" 2>/dev/null; do
            case $folder in */*) folder=${folder%/*} ;; *) break ;; esac
        done
    done
    ;;
*) say "$what: install, uninstall or list" ;;
esac
