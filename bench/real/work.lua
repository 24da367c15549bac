-- work.lua - what an embedded Lua does all day: calls, closures, tables, strings, metatables, sorting, coroutines.
-- The argument scales it. Prints only what it computed.
local scale = tonumber(arg and arg[1]) or 1

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local seed = 12345
local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n + 1 end

local function words(n)
    local out = {}
    for i = 1, n do
        local w = {}
        for j = 1, 3 + random(5) do w[j] = string.char(96 + random(26)) end
        out[i] = table.concat(w)
    end
    return out
end

local Vector = {}
Vector.__index = Vector
Vector.__add = function(a, b) return setmetatable({ x = a.x + b.x, y = a.y + b.y }, Vector) end
function Vector:length2() return self.x * self.x + self.y * self.y end

local function sieve(n)
    local composite, count = {}, 0
    for i = 2, n do
        if not composite[i] then
            count = count + 1
            for j = i * i, n, i do composite[j] = true end
        end
    end
    return count
end

local function queens(n)
    local columns, up, down, found = {}, {}, {}, 0
    local function place(row)
        if row > n then found = found + 1; return end
        for c = 1, n do
            if not columns[c] and not up[row + c] and not down[row - c + n] then
                columns[c], up[row + c], down[row - c + n] = true, true, true
                place(row + 1)
                columns[c], up[row + c], down[row - c + n] = nil, nil, nil
            end
        end
    end
    place(1)
    return found
end

for round = 1, scale do
    print("fib", fib(24))
    local list = words(6000)
    table.sort(list)
    print("sorted", list[1], list[#list])
    local seen, text = {}, table.concat(list, " ")
    for w in text:gmatch("%a+") do seen[w] = (seen[w] or 0) + 1 end
    local distinct = 0
    for _ in pairs(seen) do distinct = distinct + 1 end
    print("distinct", distinct, select(2, text:gsub("[aeiou]+", function(v) return v:upper() end)))
    local sum = setmetatable({ x = 0, y = 0 }, Vector)
    for i = 1, 40000 do sum = sum + setmetatable({ x = i % 7, y = i % 5 }, Vector) end
    print("vector", sum:length2())
    print("sieve", sieve(100000), "queens", queens(6))
    local producer = coroutine.wrap(function() for i = 1, 20000 do coroutine.yield(i * i % 17) end end)
    local total = 0
    for i = 1, 20000 do total = total + producer() end
    print("coroutine", total)
    local parts = {}
    for i = 1, 8000 do parts[#parts + 1] = string.format("%d:%s;", i, list[random(#list)]:rep(2)) end
    print("format", #table.concat(parts))
end
