/* A program that contains all of Lua; it prints the answers of a short script. */
#include "lauxlib.h"
#include "lualib.h"
#include <stdio.h>

static const char script[] =
    "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end\n"
    "print(fib(22))\n"
    "local t = {}\n"
    "for i = 1, 2000 do t[i] = (i * 7919) % 2003 end\n"
    "table.sort(t, function(a, b) return a > b end)\n"
    "print(t[1], t[1000], t[2000], #t)\n"
    "local co = coroutine.wrap(function() for w in ('one two three'):gmatch('%a+') do coroutine.yield(w) end end)\n"
    "print(co(), co(), co())\n"
    "print(pcall(error, {code = 7}), select('#', string.byte('hello', 1, -1)))\n"
    "local s = 0\n"
    "for k, v in pairs(setmetatable({a = 1, b = 2}, {__index = t})) do s = s + v end\n"
    "print(s, ('x'):rep(3, '-'), string.format('%5.2f|%q', 3.14159, 'q\\n'))\n"
    "collectgarbage()\n";

int main(void) {
  lua_State *L = luaL_newstate();
  if (!L)
    return 1;
  luaL_openlibs(L);
  int failed = luaL_dostring(L, script);
  if (failed)
    fprintf(stderr, "Lua: %s\n", lua_tostring(L, -1));
  lua_close(L);
  return failed;
}
