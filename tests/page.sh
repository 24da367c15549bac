#!/bin/sh
# page.sh [PAGE...] - opens HTML reports in headless Chromium at the width of a phone and of a
# desktop, and looks at what their scripts made of them: tables and pictures there, no script error,
# nothing wider than the window. Without PAGE it makes pages of the dumps of make_dumps.c. Part of
# `make matrix`, which installs Chromium.
BUILD=${BUILD:-build} CC=${CC:-cc} CHROMIUM=${CHROMIUM:-chromium}
dir=$BUILD/tests/page
passed=0 failed=0
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

# What the page says of itself once its script has run; put into a copy of it, as is the list of
# errors.
first='<head><script>var scriptErrors = []; onerror = function (message) { scriptErrors.push(message); };</script>'
cat >"$dir/probe.html" <<'PROBE'
<script>
addEventListener('load', function () { setTimeout(function () {
  var click = function (e) { if (e) e.dispatchEvent(new MouseEvent('click', { bubbles: true })); };
  var count = function (q) { return document.querySelectorAll(q).length; };
  var wide = function () { return document.documentElement.scrollWidth > innerWidth ? 1 : 0; };
  var data = JSON.parse(document.getElementById('data').textContent), say = {};
  say.width = innerWidth;
  /* The share of the largest box of a function, in hundredths of a percent, is that of the data. */
  var shares = (data.sampled ? data.sampled.functions : []).filter(function (f) {
    return data.sampled.sites[f.site].kind & 1;
  }).map(function (f) { return f.time_share === null ? f.share : f.time_share; });
  var largest = document.querySelector('.map button:not(.rest)');
  say.truth = largest ? Math.round(10000 * Math.max.apply(null, shares)) : 0;
  say.first = largest ?
    Math.round(100 * parseFloat(/([0-9.]+)[^0-9]*$/.exec(largest.getAttribute('aria-label'))[1])) : 0;
  say.rows = count('#functions tbody tr');
  say.boxes = count('.map button');
  say.ribbons = count('#flow path');
  say.frames = count('.flame rect');
  say.curves = count('.chart polyline');
  say.durations = count('.durations rect');
  say.slowones = count('.durations rect.slow');
  say.more = count('#frames .more .here');
  say.overflow = wide();
  /* Pick a function: callers, itself, callees. */
  click(document.querySelector('#functions tbody tr'));
  say.picked = count('#functions tbody tr.on');
  click(document.querySelector('#functions th button'));          /* by name, ascending */
  var names = Array.from(document.querySelectorAll('#functions tbody .name'), function (e) {
    return e.textContent;
  });
  say.sorted = names.every(function (name, i) { return i === 0 || names[i - 1] <= name; }) ? 1 : 0;
  click(document.querySelectorAll('.flame g')[1]);                /* zoom */
  say.zoomed = count('.flame g.past');
  say.linked = /zoom(-ticks)?=/.test(location.hash) ? 1 : 0;
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  say.escaped = count('.flame g.past') === 0 && !/zoom(-ticks)?=/.test(location.hash) ? 1 : 0;
  /* A frame may have picked a function of another table: the first one of the table that shows. */
  var box = document.querySelector('#sampled input');
  var first = document.querySelector('#functions tbody .name');
  if (box && first) { box.value = first.textContent; box.dispatchEvent(new Event('input')); }
  var stops = document.querySelectorAll(
    '.flame [tabindex="0"], .map [tabindex="0"], #functions tbody [tabindex="0"]');
  say.stops = stops.length;
  document.querySelectorAll('.chart').forEach(function (e) {
    e.dispatchEvent(new PointerEvent('pointermove', { clientX: innerWidth / 2 }));
  });
  var read = Array.from(document.querySelectorAll('.readout b'));
  say.read = read.filter(function (e) { return /[0-9]/.test(e.textContent); }).length;
  say.functions = data.sampled ? data.sampled.functions.length : 0;
  say.pairs = data.sampled ? data.sampled.pairs.length : 0;
  say.contexts = (data.contexts || []).length;
  say.timed = count('#ticks tbody tr');
  say.untimed = Array.from(document.querySelectorAll('#ticks td')).filter(function (e) {
    return e.textContent === 'not timed';
  }).length;
  say.ranges = count('#ticks .range .here');
  say.oftime = /of the time/.test(document.getElementById('lead').textContent) ? 1 : 0;
  say.footprints = (data.footprints || []).length;
  /* No two rows of hot contexts look the same. */
  var looks = Array.from(document.querySelectorAll('#contexts tbody tr'), function (e) {
    return Array.from(e.querySelectorAll('.name, .place:not(.phone)'), function (f) {
      return f.textContent;
    }).join('|');
  });
  say.alike = looks.length - new Set(looks).size;
  say.title = document.title === 'out' ? 1 : 0;
  say.hottest = count('.flame g[aria-label^="hot leaf"]');
  say.missing = Array.from(document.querySelectorAll('.missing'), function (e) {
    return e.textContent;
  }).join('').length;
  say.halves = /[\ud800-\udbff](?![\udc00-\udfff])/.test(document.body.textContent) ? 1 : 0;
  say.untrue = Array.from(document.querySelectorAll('.map button')).filter(function (e) {
    var box = e.getBoundingClientRect(), map = e.parentNode.getBoundingClientRect();
    var part = box.width * box.height / (map.width * map.height);
    var said = /([0-9.]+)[^0-9]*$/.exec(e.getAttribute('aria-label'))[1];
    return Math.abs(part - parseFloat(said) / 100) > .003;
  }).length;
  say.covered = count('table.coverage tbody tr');
  say.hit = count('table.coverage tr.hit');
  say.partly = count('table.coverage tr.partly');
  var files = document.querySelectorAll('#edges tr.pick');
  say.files = files.length;
  click(files[1]);                                                /* another file */
  say.below = count('table.coverage tbody tr');
  click(document.querySelector('#edges .above button'));
  say.sourced = count('table.coverage tbody tr');
  say.way = Array.from(document.querySelectorAll('table.coverage tr.partly td'), function (e) {
    return e.textContent;
  }).filter(function (words) { return words === '1/2'; }).length;
  /* The second of two functions of one name is chosen alone, in all sections. */
  var inits = Array.from(document.querySelectorAll('#ticks tbody tr.pick')).filter(function (e) {
    return /^b\.c:9$/.test((e.querySelector('.place') || {}).textContent);
  });
  click(inits[0]);
  var places = Array.from(document.querySelectorAll('#ticks tr.on .place, #functions tr.on .place'));
  say.alone = places.filter(function (e) { return e.textContent === 'b.c:9'; }).length;
  say.strangers = places.filter(function (e) { return e.textContent === 'a.c:3'; }).length;
  say.litticks = count('#ticks .flame rect[fill="var(--found)"]');
  /* A long source has rows where it is looked at: here at its end. */
  var scroller = document.querySelector('.source.long');
  if (scroller) scroller.scrollTop = 1e9;
  var words = document.querySelector('#ticks input[type=search]');
  if (words) { words.value = 'operator+'; words.dispatchEvent(new Event('input')); }
  var find = document.querySelector('#contexts input'), start = performance.now();
  if (find) { /* a regular expression; drawn at once, not later */
    find.value = '/^hot (leaf|nothing)$/';
    find.dispatchEvent(new Event('input'));
  }
  setTimeout(function () {
    say.plainly = count('#ticks tr.pick');
    if (scroller) scroller.dispatchEvent(new Event('scroll'));
    say.longrows = count('.source.long tr');
    say.lastline = Array.from(document.querySelectorAll('.source.long td.soft'), function (e) {
      return Number(e.textContent);
    }).reduce(function (a, b) { return a > b ? a : b; }, 0);
    say.found = count('#functions tbody tr');
    say.lit = count('.flame rect[fill="var(--found)"]');
    say.overflow += wide();
    say.errors = scriptErrors.length ? scriptErrors.join(' ') : 0;
    parent.postMessage(say, '*');
  }, 400);
}, 400); });
</script>
PROBE

check() {
    if [ "$2" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $1"
    fi
}
said() { sed -n "s/.* data-$1=\"\([^\"]*\)\".*/\1/p" "$dir/body"; }
# holds NAME EXPRESSION: numbers said by the page under their names.
holds() {
    expression=$2
    for word in rows boxes ribbons frames curves overflow picked sorted found zoomed linked \
        escaped stops read functions \
        pairs contexts timed untimed ranges oftime footprints title hottest missing alike halves untrue lit covered hit partly \
        files below sourced way first truth alone strangers litticks longrows lastline plainly \
        durations slowones more; do
        number=$(said $word)
        expression=$(echo "$expression" | sed "s/\\b$word\\b/${number:-(-1)}/g")
    done
    check "$1: $2, which is $expression" "$([ $(($expression)) = 1 ] && echo y)"
}

look() {
    page=$1 width=$2
    name="$(basename "$page") at $width"
    awk -v first="$first" -v probe="$dir/probe.html" '
        !seen && sub(/<head>/, first) { seen = 1 }
        /<\/body>/ { while ((getline line < probe) > 0) print line }
        { print }' "$page" >"$dir/probed.html"
    # In a frame, because Chromium opens no window narrower than 500 pixels.
    cat >"$dir/frame.html" <<FRAME
<!doctype html>
<body>
<iframe src="probed.html" style="border:0;width:${width}px;height:900px"></iframe>
<script>
addEventListener('message', function (e) {
  for (var key in e.data) document.body.setAttribute('data-' + key, e.data[key]);
});
</script>
FRAME
    "$CHROMIUM" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking \
        --disable-component-update --disable-sync --disable-dev-shm-usage \
        --user-data-dir="$profile" \
        --window-size=1400,1000 --virtual-time-budget=12000 --dump-dom "file://$dir/frame.html" \
        >"$dir/dom.html" 2>"$dir/chromium.err"
    grep '<body' "$dir/dom.html" | head -n 1 >"$dir/body"
    check "$name: the script ran to its end" "$(said errors)"
    check "$name: window of $width, is $(said width)" "$([ "$(said width)" = "$width" ] && echo y)"
    check "$name: script errors: $(said errors)" "$([ "$(said errors)" = 0 ] && echo y)"
    holds "$name" 'overflow == 0 && alike == 0'
    holds "$name" 'title == 0'
    if [ "$(said functions)" != 0 ]; then
        holds "$name" 'rows > 0 && rows <= functions'
        holds "$name" \
            'boxes > 0 && picked == 1 && sorted == 1 && found >= 1 && (found < rows || rows == 1)'
        [ "$(said pairs)" = 0 ] || holds "$name" 'ribbons > 0'
    fi
    holds "$name" 'first == truth'
    holds "$name" 'halves == 0 && untrue == 0 && stops <= 4'
    # Ticks: three functions, one of them not timed, two stacks, and the plain table of one pair; a
    # mark in each bar; the lead speaks of time. The fourth function met no tick.
    case $page in *timed.html) holds "$name" \
        'timed == 6 && untimed == 2 && ranges == 6 && oftime == 1' ;; esac
    case $page in *same_name*)
        holds "$name" 'alone >= 2 && strangers == 0 && litticks == 1 && plainly == 1'
        ;;
    esac
    # Frames of two lengths; what the long ones do more is collecting and waiting.
    case $page in *frames.html)
        holds "$name" 'durations == 2 && slowones == 1 && more == 2'
        ;;
    esac
    case $page in *lines.html)
        holds "$name" 'longrows > 20 && longrows < 1000 && lastline == 130000'
        ;;
    esac
    [ "$(said contexts)" = 0 ] ||
        holds "$name" 'frames > contexts && zoomed > 0 && linked == 1 && escaped == 1'
    case $page in *chains*) holds "$name" \
        'hottest == 1 && missing > 0 && lit >= 1 && frames <= 3001' ;; esac
    # The file that never ran stands first; its source is not there, so only lines with counts show.
    # The other is picked then: its lines from the first function on, then, by the button, all of
    # them, and a branch of which one of two ways was taken.
    case $page in
    *coverage*)
        lines=$(grep -c '' examples/parser/parser.c)
        holds "$name" 'files == 2 && covered == 2 && hit == 0 && partly == 0'
        holds "$name" "below < $lines && below > 0 && sourced == $lines && way == 1"
        ;;
    esac
    [ "$(said footprints)" = 0 ] || holds "$name" 'curves >= footprints && read > footprints'
}

if [ $# = 0 ]; then
    $CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c &&
        "$dir/make_dumps" "$dir" || exit 1
    # More lines than a call may have arguments.
    awk 'BEGIN { for (i = 1; i <= 130000; i++) print "int line_" i ";" }' >"$dir/lines.c"
    "$dir/make_dumps" "$dir" lines "$dir/lines.c" 130000
    for dump in lines same_name game hostile odd-tree nothing all chains middle coverage timed no-tick; do
        "$BUILD/bursty" report --html "$dir/$dump.html" --note 'overhead=+1.3 % (0.9 to 1.8)' \
            "$dir/$dump.brst" || exit 1
    done
    "$BUILD/bursty" report --html "$dir/min.html" --min 10 "$dir/game.brst" || exit 1
    $CC -O1 -I. -o "$dir/make_frames" tests/make_frames.c &&
        "$dir/make_frames" "$dir/frames.brst" budget &&
        "$BUILD/bursty" report --html "$dir/frames.html" "$dir/frames.brst" || exit 1
    # A path in which no browser breaks a line by itself stands in the last line of a page.
    long=$dir/$(printf '%0100d' 0)
    mkdir -p "$long"
    cp "$dir/nothing.brst" "$long/"
    "$BUILD/bursty" report --html "$dir/long.html" "$long/nothing.brst" || exit 1
    set -- "$dir/lines.html" "$dir/same_name.html" "$dir/long.html" "$dir/game.html" "$dir/hostile.html" "$dir/odd-tree.html" \
        "$dir/nothing.html" "$dir/all.html" "$dir/chains.html" "$dir/middle.html" \
        "$dir/coverage.html" "$dir/timed.html" "$dir/no-tick.html" "$dir/min.html" \
        "$dir/frames.html"
    [ ! -f "$BUILD/demo/report.html" ] || set -- "$@" "$BUILD/demo/report.html"
fi
for page in "$@"; do
    look "$page" 390
    look "$page" 1280
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
