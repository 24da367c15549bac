// work.js - what an embedded JavaScript does all day: objects, closures, prototypes, arrays, strings,
// regular expressions, JSON, sorting. Prints only what it computed. The argument scales it.
var scale = Number(scriptArgs[0]) || 1;
var seed = 12345;

function random(n) {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor(seed / 65536) % n;
}

function Tree() {
  this.root = null;
  this.count = 0;
}

Tree.prototype.insert = function (key, value) {
  var at = this.root, node = { key: key, value: value, left: null, right: null };
  this.count++;
  if (!at) {
    this.root = node;
    return;
  }
  for (;;) {
    var side = key < at.key ? 'left' : 'right';
    if (!at[side]) {
      at[side] = node;
      return;
    }
    at = at[side];
  }
};

Tree.prototype.sum = function () {
  function visit(node) {
    return node ? visit(node.left) + node.value + visit(node.right) : 0;
  }
  return visit(this.root);
};

function words(n) {
  var out = [];
  for (var i = 0; i < n; i++) {
    var word = '';
    for (var k = 3 + random(5); k > 0; k--) word += String.fromCharCode(97 + random(26));
    out.push(word);
  }
  return out;
}

function counted(list) {
  var counts = {};
  list.forEach(function (word) {
    var start = word.replace(/[aeiou]/g, '').slice(0, 2);
    counts[start] = (counts[start] || 0) + 1;
  });
  return counts;
}

function records(n) {
  var list = [];
  for (var i = 0; i < n; i++) {
    list.push({ id: i, name: 'record ' + i, tags: words(3), price: random(10000) / 100 });
  }
  return list;
}

for (var round = 0; round < scale; round++) {
  var tree = new Tree(), i;
  for (i = 0; i < 3000; i++) tree.insert(random(1000000), i);
  print('tree', tree.count, tree.sum());
  var list = words(2000);
  list.sort();
  print('words', list[0], Object.keys(counted(list)).length);
  var text = JSON.stringify(records(300)), again = JSON.parse(text), total = 0;
  again.sort(function (a, b) { return a.price - b.price || a.id - b.id; });
  again.forEach(function (record) { total += record.price; });
  print('records', text.length, again[0].id, total.toFixed(2));
  var matched = text.match(/"name":"record [0-9]*7"/g);
  print('matched', matched.length);
}
