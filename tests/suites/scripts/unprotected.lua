-- Programs without errors and coroutines, for a Lua whose protected calls do not use setjmp: all of it can be
-- suspended.
local h = 17
local function mix(x) h = (h * 31 + (x // 1 | 0)) % 1000000007 end
local function fib(n) if n < 2 then return n end; return fib(n - 1) + fib(n - 2) end
mix(fib(15))
local function queens(n) local count, cols, d1, d2 = 0, {}, {}, {};
  local function place(r) if r > n then count = count + 1; return end;
  for c = 1, n do if not cols[c] and not d1[r + c] and not d2[r - c + n] then
  cols[c], d1[r + c], d2[r - c + n] = true, true, true; place(r + 1);
  cols[c], d1[r + c], d2[r - c + n] = nil, nil, nil end end end; place(1); return count end
mix(queens(5))
local t = {}; for i = 1, 200 do t[i] = (i * 7919) % 263 end; table.sort(t);
  for i = 2, #t do assert(t[i - 1] <= t[i]) end; table.sort(t, function(a, b) return a > b end);
  for _, v in ipairs(t) do mix(v) end
local words = {}; for w in ("the quick brown fox jumps over the lazy dog again and again"):gmatch("%a+") do
  words[w] = (words[w] or 0) + #w end; local keys = {}; for k in pairs(words) do keys[#keys + 1] = k end;
  table.sort(keys); for _, k in ipairs(keys) do mix(words[k]); mix(k:byte()) end
local V = setmetatable({}, {__call = function(c, x, y) return setmetatable({x = x, y = y}, c) end});
  V.__index = function(t, k) return rawget(V, k) or (k == "norm" and t.x * t.x + t.y * t.y) end;
  V.__add = function(a, b) return V(a.x + b.x, a.y + b.y) end;
  V.__eq = function(a, b) return a.x == b.x and a.y == b.y end; V.__lt = function(a, b) return a.norm < b.norm end;
  V.__newindex = function(t, k, v) mix(v); rawset(t, k, v) end; V.__len = function(a) return a.x end;
  V.__concat = function(a, b) return "v" .. a.x .. (type(b) == "table" and b.y or b) end;
  V.__tostring = function(a) return "<" .. a.x .. ">" end
local a, b = V(3, 4), V(6, 8); mix((a + b).x); mix(a < b and 1 or 2); a.z = 99; mix(#b); mix(#(a .. b));
  mix(#tostring(a)); mix((a == V(3, 4)) and 7 or 8)
local s = {}; for i = 1, 60 do s[#s + 1] = string.format("%03d:%s:%x:%g", i, ("ab"):rep(i % 5, "-"), i * 255,
  i / 7) end; local text = table.concat(s, ";"); for i = 1, #text, 7 do mix(text:byte(i)) end;
  mix(select(2, text:gsub("%d+", function(d) return "<" .. d .. ">" end))); mix(#text:upper():reverse():sub(10, -10));
  mix((text:find("017", 1, true)))
local function vararg(...) local n = select("#", ...); local p = table.pack(...); return n, table.unpack(p, 1, n) end;
  mix(select("#", vararg(1, nil, 3))); mix((select(3, vararg(5, 6, 7))))
for i = 1, 3 do for j = 3, 1, -1 do if i == j then goto next end; mix(i * 10 + j); ::next:: end end; local k = 0;
  while true do k = k + 1; if k > 20 then break end; repeat local x = k % 3; mix(x) until x >= 0 end;
  for x = 1.0, 2.0, 0.25 do mix(x * 100) end
local closures = {}; for i = 1, 10 do local n = i; closures[i] = function(d) n = n + d; return n end end;
  for i = 1, 10 do closures[i](i); mix(closures[i](1)) end
local garbage = 0; for i = 1, 300 do local x = setmetatable({i, {i}}, {__gc = function() garbage = garbage + 1 end});
  if i % 100 == 0 then collectgarbage("step", 50) end end; collectgarbage(); collectgarbage(); mix(garbage)
local f =
  load("local x = ... ; local function g(n) if n == 0 then return x end; return g(n - 1) + 1 end; return g(40)");
  mix(f(2)); mix(load(string.dump(f))(3)); mix(#string.pack("<i4 s1 d", 5, "abc", 1.5)); mix(utf8.len("añb€"));
  mix(math.floor(2.7) + math.max(3, 9) + (7 // 2) + (-7 % 3) + (5 ~ 3) + (1 << 10));
  mix(tonumber("0x1p4") + tonumber("1e2"))
print("unprotected", h)
