# draw.awk - draws situations: N of them, or as many as it takes until every
# pair of values that can go together is in one. Input: rows "axis value
# forbidden...", the axes in their order with the usual value first, and then
# rows "answers SHAPE QUESTION...". A forbidden word is axis=value. Each line
# that comes out is a situation without its usual values. The same input and the
# same seed give the same lines, in every awk.

function random(n) { # 0 .. n - 1; the products stay below 2^53
    state = (state * 16807) % 2147483647
    return int(state / 7) % n
}
function can(a, i, b, j) { return !((a, i, b, j) in never) }
function number_of(a, value,    i) {
    for (i = 1; i <= many[a]; i++) if (value_of[a, i] == value) return i
    return 0
}
function forbid(a, i, b, j) { never[a, i, b, j] = never[b, j, a, i] = 1 }

# Whether there is a shape and a question that go with both; all other axes can
# be as usual.
function possible(a, i, b, j,    s, q) {
    if (!can(a, i, b, j)) return 0
    for (s = 1; s <= many[1]; s++) {
        if ((a == 1 && s != i) || !can(1, s, a, i) || !can(1, s, b, j)) continue
        for (q = 1; q <= many[2]; q++) {
            if ((a == 2 && q != i) || (b == 2 && q != j)) continue
            if (can(1, s, 2, q) && can(2, q, a, i) && can(2, q, b, j)) return 1
        }
    }
    return 0
}
function fits(a, i,    b) {
    for (b = 1; b <= axes; b++) if (b != a && chosen[b] && !can(a, i, b, chosen[b])) return 0
    return 1
}
function gain(a, i,    b, n) {
    for (b = 1; b <= axes; b++) if (b != a && chosen[b] && left[a, i, b, chosen[b]]) n++
    return n
}
function completes(s,    q, b, fine) { # a question goes with shape s and with all that is chosen
    for (q = 1; q <= many[2]; q++) {
        if (chosen[2] && q != chosen[2]) continue
        fine = can(1, s, 2, q)
        for (b = 3; b <= axes; b++) if (chosen[b] && !can(2, q, b, chosen[b])) fine = 0
        if (fine) return 1
    }
    return 0
}
function choose(a,    i, g, best, at, ties) {
    if (chosen[a]) return
    best = -1
    for (i = 1; i <= many[a]; i++) {
        if (!fits(a, i) || (a == 1 && !completes(i))) continue
        g = gain(a, i)
        if (g > best) { best = g; at = i; ties = 1 }
        else if (g == best && random(++ties) == 0) at = i
    }
    chosen[a] = at
}
function one_of(a, i, b, j,    c, k, t, order) {
    for (c = 1; c <= axes; c++) chosen[c] = 0
    chosen[a] = i
    if (b) chosen[b] = j
    choose(1)
    choose(2)
    for (c = 3; c <= axes; c++) order[c] = c
    for (c = axes; c > 3; c--) {
        k = 3 + random(c - 2)
        t = order[c]
        order[c] = order[k]
        order[k] = t
    }
    for (c = 3; c <= axes; c++) choose(order[c])
    say()
}
function say(    c, b, line) {
    for (c = 1; c <= axes; c++)
        if (c <= 2 || chosen[c] > 1)
            line = line (line == "" ? "" : " ") name_of[c] "=" value_of[c, chosen[c]]
    for (c = 1; c <= axes; c++)
        for (b = 1; b <= axes; b++)
            if (b != c && left[c, chosen[c], b, chosen[b]]) {
                left[c, chosen[c], b, chosen[b]] = 0
                if (c < b) open--
            }
    print line
    drawn++
}

$1 == "answers" {
    i = number_of(1, $2)
    for (k = 1; k <= many[2]; k++) forbid(1, i, 2, k)
    for (k = 3; k <= NF; k++) {
        j = number_of(2, $k)
        if (j) { delete never[1, i, 2, j]; delete never[2, j, 1, i] }
    }
    next
}
{
    if (!($1 in axis)) {
        axis[$1] = ++axes
        name_of[axes] = $1
    }
    a = axis[$1]
    value_of[a, ++many[a]] = $2
    for (k = 3; k <= NF; k++) later[++laters] = a " " many[a] " " $k
}
END {
    state = seed + 0 ? seed + 0 : 1
    for (k = 1; k <= laters; k++) {
        split(later[k], part, " ")
        split(part[3], other, "=")
        b = axis[other[1]]
        m = split(other[2], values, ",")
        for (i = 1; i <= m; i++) {
            j = number_of(b, values[i])
            if (j) forbid(part[1], part[2], b, j)
        }
    }
    for (a = 1; a <= axes; a++)
        for (b = a + 1; b <= axes; b++)
            for (i = 1; i <= many[a]; i++)
                for (j = 1; j <= many[b]; j++)
                    if (possible(a, i, b, j)) {
                        left[a, i, b, j] = left[b, j, a, i] = 1
                        pair[++pairs] = a " " i " " b " " j
                        open++
                    }
    all = open
    for (k = pairs; k > 1; k--) {
        j = 1 + random(k)
        t = pair[k]
        pair[k] = pair[j]
        pair[j] = t
    }
    # Each shape and each question once, whatever N is; then what is left.
    for (i = 1; i <= many[1] && (!n || drawn < n); i++) one_of(1, i, 0, 0)
    for (k = 1; k <= pairs && (!n || drawn < n); k++) {
        split(pair[k], part, " ")
        if (left[part[1], part[2], part[3], part[4]])
            one_of(part[1] + 0, part[2] + 0, part[3] + 0, part[4] + 0)
    }
    printf "%d of %d pairs of values are in %d situations\n", all - open, all, drawn >"/dev/stderr"
}
