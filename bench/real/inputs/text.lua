-- text.lua - an input of bench/place_real.sh: strings, patterns, tables of words. Prints only what it computed.
local scale = tonumber(arg and arg[1]) or 1
local source = {}
for i = 1, 400 do
    source[i] = ("line %d: the %s brown fox jumps over %d lazy dogs;"):format(i, i % 3 == 0 and "quick" or "slow", i * 7 % 13)
end
for round = 1, scale do
    local text, counts, order = table.concat(source, "\n"), {}, {}
    for word in text:gmatch("%w+") do
        if not counts[word] then order[#order + 1] = word end
        counts[word] = (counts[word] or 0) + 1
    end
    table.sort(order, function(a, b) return counts[a] > counts[b] or counts[a] == counts[b] and a < b end)
    print(order[1], counts[order[1]], #order)
    print(#text:gsub("(%w+) (%w+)", "%2 %1"), text:find("lazy dogs;$"), text:upper():byte(-2))
    local reversed = {}
    for line in text:gmatch("[^\n]+") do reversed[#reversed + 1] = line:reverse():sub(2, -2) end
    print(#table.concat(reversed, ","))
end
