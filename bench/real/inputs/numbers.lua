-- numbers.lua - an input of bench/place_real.sh: loops over numbers with few calls. Prints only what it computed.
local scale = tonumber(arg and arg[1]) or 1
local n = 24
local function matrix(seed)
    local m = {}
    for i = 1, n do
        m[i] = {}
        for j = 1, n do m[i][j] = (i * seed + j * 7) % 11 - 5 end
    end
    return m
end
for round = 1, scale do
    local a, b, trace = matrix(3), matrix(5), 0
    for i = 1, n do
        for j = 1, n do
            local sum = 0
            for k = 1, n do sum = sum + a[i][k] * b[k][j] end
            if i == j then trace = trace + sum end
        end
    end
    local x, y, inside = 0.5, 0.25, 0
    for i = 1, 60000 do
        x, y = (x * 1.7 + y) % 1, (y * 2.3 + x) % 1
        if x * x + y * y < 1 then inside = inside + 1 end
    end
    local bits = 1
    for i = 1, 40000 do bits = (bits << 1 ~ bits >> 3 ~ i) & 0xFFFFFF end
    print(trace, inside, bits)
end
