-- The language: closures, metatables, goto, coroutines inside pcall inside coroutines, errors through every kind
-- of frame.
local log = {}
local function say(...) local t = table.pack(...); for i = 1, t.n do t[i] = tostring(t[i]) end;
  log[#log + 1] = table.concat(t, " ") end
local function counter() local n = 0; return function(k) n = n + (k or 1); return n end end
local a, b = counter(), counter(); a(); a(5); b(10); say(a(), b())
local V = {}; V.__index = V
function V.new(x, y) return setmetatable({x = x, y = y}, V) end
V.__add = function(p, q) return V.new(p.x + q.x, p.y + q.y) end
V.__eq = function(p, q) return p.x == q.x and p.y == q.y end
V.__lt = function(p, q) return p.x < q.x end
V.__le = function(p, q) return p.x <= q.x end
V.__call = function(p, k) return V.new(p.x * k, p.y * k) end
V.__tostring = function(p) return "(" .. p.x .. "," .. p.y .. ")" end
V.__len = function(p) return p.x + p.y end
V.__concat = function(p, q) return tostring(p) .. "|" .. tostring(q) end
V.__unm = function(p) return V.new(-p.x, -p.y) end
V.__close = function(p) say("close", tostring(p)) end
local p = V.new(1, 2) + V.new(3, 4); say(tostring(p(3)), tostring(p == V.new(4, 6)), #p, p .. "x", tostring(-p),
  tostring(p < V.new(9, 0)), tostring(p <= V.new(4, 0)))
do local c <close> = V.new(7, 7); say("inside") end
for i = 1, 3 do for j = 1, 3 do if j == 2 then goto continue end; say(i, j) ::continue:: end end
local function gen(n) return coroutine.wrap(function() for i = 1, n do
  coroutine.yield(i, i * i) end return "end" end) end
local g = gen(3); say(g()); say(g()); say(g()); say(g())
local co = coroutine.create(function(x)
  local ok, e = pcall(function() local y = coroutine.yield(x + 1); local ok2, e2 = pcall(error, {code = y});
    say(tostring(ok2), e2.code); error("deep " .. y, 0) end)
  say(tostring(ok), e)
  local t = setmetatable({}, {__index = function(_, k) return coroutine.yield(k) end})
  say(t.alpha, t.beta); table.sort({3, 1, 2}, function(u, v) return u < v end); return "done"
end)
say(coroutine.resume(co, 1)); say(coroutine.resume(co, 5)); say(coroutine.resume(co, "A"));
  say(coroutine.resume(co, "B")); say(coroutine.resume(co)); say(coroutine.status(co))
say(select("#", table.unpack({1, nil, 3}, 1, 3)), select(-1, 1, 2, 3), (select(2, "a", "b", "c")))
local function depth(n) if n == 0 then error("bottom") end; return depth(n - 1) + 1 end
local ok, e = pcall(depth, 150); say(tostring(ok), (e:gsub("^.-:%d+: ", "")))
say(tostring(xpcall(depth, function(m) return "handled " .. (m:gsub("^.-:%d+: ", "")) end, 3)))
say(select(2, pcall(function() local x <const> = 5; return x .. nil end)) ~= nil and "type error" or "?")
say(tostring(pcall(string.rep)), tostring(pcall(setmetatable, 1, 2)))
local function over(n) return over(n + 1) + 1 end
say((select(2, pcall(over, 1))):match("stack overflow") or "none")
local weak = setmetatable({}, {__mode = "k"}); for i = 1, 50 do weak[{}] = i end; collectgarbage(); local n = 0;
  for _ in pairs(weak) do n = n + 1 end; say("weak", n)
local finalised = 0; for i = 1, 20 do setmetatable({}, {__gc = function() finalised = finalised + 1 end}) end;
  collectgarbage(); collectgarbage(); say("finalised", finalised)
collectgarbage("generational"); local t = {}; for i = 1, 2000 do t[i % 97] = {i, t[i % 31]} end;
  collectgarbage("incremental"); collectgarbage(); say(#t)
local f = load("local a, b = ...; return a * b, function() a = a + 1; return a end"); local r, inc = f(6, 7); inc();
  say(r, inc())
local dumped = load(string.dump(function(x) return x ^ 2 + 1 end)); say(dumped(3))
say(tostring(load("x = = 1")), (select(2, load("for"))):match("near") or "")
print(table.concat(log, "\n"))
