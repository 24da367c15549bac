-- checks.lua - what Lua must answer: every check prints its name and "ok" or "FAILED". The right
-- answers are written out here; Debian's package of Lua comes without Lua's own tests.
local function check(name, right) print(name .. '|' .. (right and 'ok' or 'FAILED')) end

check('integers', 7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 1 << 62 == 4611686018427387904
    and math.maxinteger + 1 == math.mininteger and 5 // 0.0 == math.huge and 3 | 4 == 7 and ~0 == -1)
check('reals', 0.1 + 0.2 ~= 0.3 and 2 ^ 10 == 1024.0 and 7 % -3 == -2 and 5.5 // 2 == 2.0
    and math.type(1) == 'integer' and math.type(1.0) == 'float' and 0 / 0 ~= 0 / 0)
check('format', string.format('%05d|%-4s|%.3f|%x|%q|%a', 42, 'a', 2.5, 255, 'a\nb', 1)
    == '00042|a   |2.500|ff|"a\\\nb"|0x1p+0')
check('patterns', ('key = value'):match('^(%w+)%s*=%s*(%w+)$') == 'key'
    and ('banana'):gsub('a(n)', '<%1>') == 'b<n><n>a' and ('x'):rep(3, '-') == 'x-x-x'
    and ('f(a(b)c)d'):match('%b()') == '(a(b)c)' and select(2, ('aXbXc'):gsub('X', '')) == 2
    and ('THE (quick) fox'):find('%((%a+)%)') == 5)
check('pack', string.unpack('<i4', string.pack('<i4', -2)) == -2
    and string.pack('>I2', 258) == '\1\2' and #string.pack('z', 'abc') == 4)
check('utf8', utf8.len('größe') == 5 and utf8.char(8364) == '€' and utf8.codepoint('ß') == 223)

local t = {}
for i = 1, 1000 do t[i] = (i * 7919) % 1000 end
table.sort(t)
check('sort', t[1] == 0 and t[500] == 499 and t[1000] == 999)
table.sort(t, function(a, b) return a > b end)
check('sort by function', t[1] == 999 and t[1000] == 0)
check('tables', #t == 1000 and table.concat({1, 2, 3}, ',') == '1,2,3'
    and select('#', table.unpack({1, nil, 3}, 1, 3)) == 3 and table.remove({1, 2, 9}) == 9
    and table.move({1, 2, 3}, 2, 3, 1)[1] == 2 and next({}) == nil)
local keys = {}
for k in pairs({a = 1, b = 2, [1] = 3, [2.5] = 4}) do keys[#keys + 1] = tostring(k) end
table.sort(keys)
check('pairs', table.concat(keys, ' ') == '1 2.5 a b')

local log = {}
do
    local a <close> = setmetatable({}, {__close = function() log[#log + 1] = 'closed' end})
    for i = 1, 3 do
        if i == 2 then goto continue end
        log[#log + 1] = i
        ::continue::
    end
end
check('goto and close', table.concat(log, ' ') == '1 3 closed')
local fs = {}
for i = 1, 3 do fs[i] = function() i = i + 1 return i end end
check('closures', fs[1]() == 2 and fs[1]() == 3 and fs[2]() == 3)
local function sum(...)
    local n = 0
    for i = 1, select('#', ...) do n = n + (select(i, ...)) end
    return n
end
check('varargs', sum(1, 2, 3) == 6 and sum() == 0)
local function count(n) if n == 0 then return 'end' end return count(n - 1) end
check('tail calls', count(100000) == 'end')

local V = {}
V.__index = V
V.__add = function(a, b) return setmetatable({x = a.x + b.x}, V) end
V.__eq = function(a, b) return a.x == b.x end
V.__lt = function(a, b) return a.x < b.x end
V.__le = function(a, b) return a.x <= b.x end
V.__call = function(self, y) return self.x * y end
V.__len = function(self) return self.x end
V.__concat = function(a, b) return 'V' .. (type(b) == 'table' and b.x or b) end
V.__tostring = function(self) return '<' .. self.x .. '>' end
local function v(x) return setmetatable({x = x}, V) end
check('metamethods', v(1) + v(2) == v(3) and v(1) < v(2) and not (v(2) <= v(1)) and v(3)(4) == 12
    and #v(7) == 7 and v(1) .. 'a' == 'Va' and tostring(v(5)) == '<5>')
local seen = {}
local proxy = setmetatable({}, {__index = function(_, k) return k .. '!' end,
    __newindex = function(_, k, x) rawset(seen, k, x) end})
proxy.a = 1
check('index', proxy.b == 'b!' and seen.a == 1 and rawget(proxy, 'a') == nil)

local ok, why = pcall(function() local x = nil; return x.y end)
check('errors', not ok and why:find('index') ~= nil)
ok, why = pcall(error, {code = 7})
check('error values', not ok and why.code == 7)
ok, why = xpcall(function() error('deep', 0) end, function(m) return m .. ' handled' end)
check('handlers', not ok and why == 'deep handled')
local function endless(n) return 1 + endless(n + 1) end
ok, why = pcall(endless, 1)
check('stack overflow', not ok and why:find('stack overflow') ~= nil)
ok = pcall(string.rep, 'x', -1) and not pcall(string.rep) and not pcall(string.format, '%d', 1.5)
check('bad arguments', ok)

local function generate(n)
    return coroutine.wrap(function() for i = 1, n do coroutine.yield(i * i) end end)
end
local total = 0
for x in generate(100) do total = total + x end
check('coroutines', total == 338350)
local co = coroutine.create(function(a)
    local b = coroutine.yield(a + 1)
    error('in it: ' .. b)
end)
local _, first = coroutine.resume(co, 1)
local fine, message = coroutine.resume(co, 'x')
check('resume', first == 2 and not fine and message:find('in it: x') and coroutine.status(co) == 'dead')
check('yield in pcall', coroutine.wrap(function()
    local good, value = pcall(function() return coroutine.yield('out') end)
    return good and value
end)() == 'out')

local weak = setmetatable({}, {__mode = 'k'})
weak[{}] = 1
local died = 0
for _ = 1, 10 do setmetatable({}, {__gc = function() died = died + 1 end}) end
collectgarbage()
collectgarbage()
check('garbage', next(weak) == nil and died == 10)
collectgarbage('generational')
local live = {}
for i = 1, 20000 do live[i % 100] = {i} end
collectgarbage('incremental')
check('generations', live[0][1] == 20000 and live[99][1] == 19999)
check('load', load('return 1 + ...')(2) == 3 and load('x =') == nil
    and load(string.dump(function() return 42 end))() == 42)
