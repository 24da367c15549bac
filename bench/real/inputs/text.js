// text.js - an input of bench/place_real.sh: strings and regular expressions. Prints only what it computed.
var scale = Number(scriptArgs[0]) || 1;
for (var round = 0; round < scale; round++) {
  var lines = [], i;
  for (i = 0; i < 300; i++) lines.push('line ' + i + ': ' + (i * 37 % 101) + ' of <b>' + (i % 7) + '</b>');
  var text = lines.join('\n'), plain = text.replace(/<[^>]*>/g, ''), counts = {};
  plain.split(/[^a-z0-9]+/).forEach(function (word) { counts[word] = (counts[word] || 0) + 1; });
  print(plain.length, counts.line, counts['3'], text.indexOf('line 299'), plain.toUpperCase().slice(-8));
  var sum = 0;
  for (i = 0; i < plain.length; i++) sum = (sum * 31 + plain.charCodeAt(i)) % 65521;
  print(sum, lines[5].length, parseInt(lines[9].slice(8), 10));
}
