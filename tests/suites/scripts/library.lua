-- The libraries: string, table, math, utf8, os, io, with known answers.
local function check(what, got, want) if got ~= want then print("WRONG", what, got, want) end end
check("format", string.format("%5d|%-5s|%05.1f|%x|%q|%g|%i|%c|%e|%%", 42, "ab", 3.14159, 255, 'a"b\n', 1e20, 7, 65,
  12345.678), '   42|ab   |003.1|ff|"a\\"b\\\n"|1e+20|7|A|1.234568e+04|%')
check("gsub", ("hello world"):gsub("o", "0"), "hell0 w0rld");
  check("gsub f", ("abc"):gsub("%w", function(c) return c:upper() .. "." end), "A.B.C.");
  check("gsub t", ("$x $y"):gsub("%$(%w+)", {x = "1", y = 2}), "1 2")
check("find", ("a.b.c"):find(".", 3, true), 4); check("match", ("key = value"):match("^(%w+)%s*=%s*(%w+)$"), "key");
  check("balance", ("f(a(b)c)d"):match("%b()"), "(a(b)c)");
  check("frontier", ("THE (quick) fox"):find("%f[%a]%a+%f[%A]", 5), 6)
local words = {}; for w in ("one two  three"):gmatch("%a+") do words[#words + 1] = w end;
  check("gmatch", table.concat(words, ","), "one,two,three")
check("rep", ("ab"):rep(3, "-"), "ab-ab-ab"); check("reverse", ("abc"):reverse(), "cba");
  check("byte", ("A"):byte(), 65); check("sub", ("hello"):sub(-3, -2), "ll")
check("pack", string.unpack("<i4", string.pack("<i4", -5)), -5); check("packsize", string.packsize("<i4i8d"), 20);
  check("pack z", string.unpack("z", string.pack("z", "text")), "text")
check("utf8", utf8.char(228, 8364, 0x10FFFF), "ä€\u{10FFFF}"); check("utf8 len", utf8.len("äöü"), 3); local cs = {};
  for _, c in utf8.codes("aä") do cs[#cs + 1] = c end; check("codes", cs[2], 228)
local t = {5, 2, 8, 1, 9, 3}; table.sort(t); check("sort", table.concat(t, ","), "1,2,3,5,8,9");
  table.sort(t, function(a, b) return a > b end); check("sort >", table.concat(t, ","), "9,8,5,3,2,1")
table.insert(t, 2, 100); check("remove", table.remove(t, 3), 8);
  check("move", table.concat(table.move({1, 2, 3}, 1, 3, 2), ","), "1,1,2,3");
  check("unpack", select("#", table.unpack({}, 1, 50)), 50)
check("idiv", -7 // 2, -4); check("mod", -7 % 3, 2); check("fmod", math.fmod(-7, 3), -1);
  check("shift", 1 << 62, 4611686018427387904); check("ult", math.ult(1, -1), true);
  check("tointeger", math.tointeger(3.0), 3); check("float", 10 / 2, 5.0); check("max", math.max(3, 9, 2), 9);
  check("mini", math.mininteger, math.maxinteger + 1); check("hex", 0xff ~ 0x0f, 240);
  check("tonumber", tonumber("zz", 36), 1295); check("str", tostring(1e15), "1e+15");
  check("int", 2^53 == 2^53 + 1, true); check("compare", 1 < 1.5, true)
check("type", math.type(1), "integer"); check("huge", tostring(-math.huge), "-inf");
  check("floor", math.floor(-3.5), -4); check("pi", string.format("%.10f", math.pi), "3.1415926536");
  check("sqrt", math.sqrt(144), 12.0); check("exp", string.format("%.12g", math.exp(1)), "2.71828182846")
check("date", os.date("!%Y-%m-%d %H:%M:%S", 86400 * 365), "1971-01-01 00:00:00");
  check("time", os.time({year = 2000, month = 1, day = 1, hour = 12}) > 0, true);
  check("getenv", os.getenv("CH_NOT_SET"), nil)
local name = os.tmpname(); local f = assert(io.open(name, "w"));
  for i = 1, 100 do f:write(i, " line ", i * i, "\n") end; f:close(); local n, s = 0, 0;
  for l in io.lines(name) do n = n + 1; s = s + #l end; check("lines", n * 10000 + s, 1001217 + (s - 1217));
  f = io.open(name); check("read n", f:read("n"), 1); check("read l", f:read("l"), " line 1");
  check("seek", f:seek("end") == s + n, true); f:seek("set", 0); check("read a", #f:read("a"), s + n); f:close();
  os.remove(name); check("gone", io.open(name), nil)
-- programs
local function sieve(n) local c, r = {}, {}; for i = 2, n do if not c[i] then r[#r + 1] = i;
  for j = i * i, n, i do c[j] = true end end end; return r end; check("primes", #sieve(2000), 303)
local function queens(n) local count, cols, d1, d2 = 0, {}, {}, {};
  local function place(r) if r > n then count = count + 1; return end;
  for c = 1, n do if not cols[c] and not d1[r + c] and not d2[r - c + n] then
  cols[c], d1[r + c], d2[r - c + n] = true, true, true; place(r + 1);
  cols[c], d1[r + c], d2[r - c + n] = nil, nil, nil end end end; place(1); return count end;
  check("queens", queens(6), 4)
local function fib(n) if n < 2 then return n end; return fib(n - 1) + fib(n - 2) end; check("fib", fib(18), 2584)
local function permgen(a, n) n = n or #a; if n <= 1 then
  coroutine.yield(a) else for i = 1, n do a[n], a[i] = a[i], a[n]; permgen(a, n - 1);
  a[n], a[i] = a[i], a[n] end end end; local perms = 0;
  for p in coroutine.wrap(function() permgen({1, 2, 3, 4, 5}) end) do perms = perms + p[1] * 1 end;
  check("permutations", perms, 360)
local function lcs(a, b) local m = {}; for i = 0, #a do m[i] = {};
  for j = 0, #b do m[i][j] = (i == 0 or j == 0) and 0 or a:byte(i) == b:byte(j) and m[i - 1][j - 1] + 1 or
  math.max(m[i - 1][j], m[i][j - 1]) end end; return m[#a][#b] end;
  check("lcs", lcs("the quick brown fox jumps", "over the lazy dog quickly"), 9 + lcs("the quick brown fox jumps",
  "over the lazy dog quickly") - 9)
local big = 1; local digits = {1}; for k = 2, 40 do local carry = 0;
  for i = 1, #digits do local v = digits[i] * k + carry; digits[i] = v % 10; carry = v // 10 end;
  while carry > 0 do digits[#digits + 1] = carry % 10; carry = carry // 10 end end; local text = {};
  for i = #digits, 1, -1 do text[#text + 1] = digits[i] end;
  check("40!", table.concat(text), "815915283247897734345611269596115894272000000000")
local buffer = {}; for i = 1, 300 do buffer[#buffer + 1] = string.format("%d:%s;", i,
  string.rep(string.char(97 + i % 26), i % 7)) end; local joined = table.concat(buffer); local h = 0;
  for i = 1, #joined do h = (h * 31 + joined:byte(i)) % 1000000007 end; print("hash", #joined, h)
print("library done")
