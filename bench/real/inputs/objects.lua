-- objects.lua - an input of bench/place_real.sh: classes, closures, errors, garbage. Prints only what it computed.
local scale = tonumber(arg and arg[1]) or 1
local Shape = {}
Shape.__index = Shape
function Shape.new(kind, size) return setmetatable({ kind = kind, size = size }, Shape) end
function Shape:area() return self.kind == "square" and self.size ^ 2 or 3 * self.size end
Shape.__lt = function(a, b) return a:area() < b:area() end
local Tree = {}
Tree.__index = function(t, k) return rawget(Tree, k) end
function Tree.insert(node, shape)
    if not node then return setmetatable({ shape = shape }, Tree) end
    if shape < node.shape then node.left = Tree.insert(node.left, shape)
    else node.right = Tree.insert(node.right, shape) end
    return node
end
function Tree.depth(node) return node and 1 + math.max(Tree.depth(node.left), Tree.depth(node.right)) or 0 end
for round = 1, scale do
    local root, seed, failed = nil, 7, 0
    for i = 1, 1500 do
        seed = (seed * 1103515245 + 12345) % 2147483648
        root = Tree.insert(root, Shape.new(seed % 2 == 0 and "square" or "bar", seed // 65536 % 1000))
        if not pcall(function() if i % 9 == 0 then error({ code = i }) end end) then failed = failed + 1 end
    end
    local add = function(n) return function(x) return x + n end end
    local total = 0
    for i = 1, 4000 do total = add(i)(total) % 9973 end
    collectgarbage()
    print(Tree.depth(root), failed, total)
end
