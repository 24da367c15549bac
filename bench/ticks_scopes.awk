# ticks_scopes.awk - puts a BURST_SCOPE into each function of Lua's source, in which a function's
# first line begins in column 1 and ends with "{".
/^[A-Za-z]/ { head = $0 }
/^ / && open { head = head $0 }
{ print }
/^[A-Za-z]/ { open = /\(/ && !/[;{]$/ }
(/^[A-Za-z]/ || open) && /\) \{$/ &&
        head !~ /^(struct|union|enum|typedef|else|switch)/ && head !~ /l_noret|l_sinline/ {
    name = head
    sub(/ *\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (name ~ /^[A-Za-z_][A-Za-z0-9_]*$/) print "  BURST_SCOPE(\"" name "\");"
    open = 0
}
/\{$/ { open = 0 }
