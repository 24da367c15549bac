// numbers.js - an input of bench/place_real.sh: loops over numbers and arrays. Prints only what it computed.
var scale = Number(scriptArgs[0]) || 1;
for (var round = 0; round < scale; round++) {
  var sieve = [], primes = 0, i, j;
  for (i = 2; i < 8000; i++) {
    if (sieve[i]) continue;
    primes++;
    for (j = i * i; j < 8000; j += i) sieve[j] = true;
  }
  var x = 0.3, hits = 0, bits = 1;
  for (i = 0; i < 20000; i++) {
    x = 3.9 * x * (1 - x);
    if (x > 0.5) hits++;
    bits = (bits << 1 ^ bits >>> 5 ^ i) & 0xffff;
  }
  print(primes, hits, bits, Math.floor(Math.sqrt(primes) * 1000));
}
