// objects.js - an input of bench/place_real.sh: prototypes, closures, exceptions, JSON. Prints only what it computed.
var scale = Number(scriptArgs[0]) || 1;
function Animal(name) { this.name = name; }
Animal.prototype.speak = function () { return this.name.length; };
function Dog(name) { Animal.call(this, name); }
Dog.prototype = Object.create(Animal.prototype);
Dog.prototype.speak = function () { return 2 * Animal.prototype.speak.call(this); };
for (var round = 0; round < scale; round++) {
  var total = 0, failed = 0, list = [], i;
  for (i = 0; i < 2000; i++) {
    var pet = i % 3 ? new Dog('rex' + i) : new Animal('cat');
    total += pet.speak();
    try { if (i % 11 === 0) throw new Error('no ' + i); } catch (e) { failed += e.message.length; }
    list.push({ id: i, pet: pet.name, tags: [i % 5, i % 7] });
  }
  var again = JSON.parse(JSON.stringify(list)), adders = list.map(function (entry) {
    return function (n) { return n + entry.id; };
  });
  again.sort(function (a, b) { return b.tags[1] - a.tags[1] || a.id - b.id; });
  print(total, failed, again[0].id, adders.reduce(function (n, add) { return add(n) % 9973; }, 0));
}
