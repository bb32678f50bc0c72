-- What the case `lua` does: calls, tables, closures, strings and sorting. It prints what clang's must print, too. There
-- are no coroutines: to yield is an error to C, and errors end this Lua.
local n = tonumber(arg[1])

local function fib(i) return i < 2 and i or fib(i - 1) + fib(i - 2) end
print(fib(n))

local sieve, primes = {}, 0
for i = 2, n * 2000 do
  if not sieve[i] then
    primes = primes + 1
    for j = i * i, n * 2000, i do sieve[j] = true end
  end
end
print(primes)

local words, seed = {}, 42
for i = 1, n * 200 do
  seed = (seed * 1103515245 + 12345) % 2147483648
  words[i] = string.format("%08x", seed)
end
table.sort(words, function(a, b) return a > b end)
local joined = table.concat(words, " ")
print(#joined, (joined:gsub("%x7", "")):len(), joined:find("ff", 1, true))

local point = {}
point.__index = point
function point.__add(a, b) return setmetatable({x = a.x + b.x, y = a.y + b.y}, point) end
function point:norm() return self.x * self.x + self.y * self.y end
local sum = setmetatable({x = 0, y = 0}, point)
for i = 1, n * 1000 do sum = sum + setmetatable({x = i % 7, y = i % 11}, point) end
print(sum:norm())
