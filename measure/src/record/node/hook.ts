/**
 * Loaded by `node --import` into the program, its workers and its child processes. The recorder runs in a realm of its
 * own: a program may replace `Map`, `Array.prototype.push` or `fs.writeSync`, freeze `Error`, or put setters on
 * `Object.prototype`, and the recorder neither notices nor runs any of the program's code by that. What belongs to the
 * program is handed in: the global object, and Node's modules as they are before the program begins.
 *
 * Invariant: code in the realm calls no method of an object that the program's realm has made (an array that Node hands
 * over, a function's `call`), except of Node's own objects; `copied` and `Reflect` do that in its place.
 */
import * as asyncHooks from 'node:async_hooks'
import * as childProcess from 'node:child_process'
import * as fs from 'node:fs'
import * as inspector from 'node:inspector'
import * as module from 'node:module'
import * as path from 'node:path'
import * as url from 'node:url'
import * as util from 'node:util'
import * as vm from 'node:vm'
import * as workerThreads from 'node:worker_threads'

/** What `import` gives in the realm; the build makes `BUILT_IN` of it. Copies: the program may change the modules. */
const builtIn = Object.fromEntries(
  Object.entries({
    'node:async_hooks': asyncHooks,
    'node:child_process': childProcess,
    'node:fs': fs,
    'node:inspector': inspector,
    'node:module': module,
    'node:path': path,
    'node:url': url,
    'node:util': util,
    'node:vm': vm,
    'node:worker_threads': workerThreads,
  }).map(([name, exports]) => [name, { ...exports }]),
)

const given: Record<string, unknown> = {
  BUILT_IN: builtIn,
  HOOK_URL: import.meta.url,
  globalThis,
  process,
  performance,
  Buffer: { ...Buffer, prototype: Buffer.prototype },
  URL,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
}

const { constants } = vm as unknown as { constants?: { DONT_CONTEXTIFY?: symbol } }
// Where it is possible, a global object that nobody intercepts.
const realm = vm.createContext(constants?.DONT_CONTEXTIFY as any)
// As parameters they are found at once, and not looked up in the realm's global object.
const languages = (vm.runInContext('Object.getOwnPropertyNames(globalThis)', realm) as string[]).filter(
  (name) => name !== 'eval' && !Object.hasOwn(given, name),
)
const names = [...languages, ...Object.keys(given)]
const text = fs.readFileSync(new URL('./program-side.js', import.meta.url), 'utf8')
// Frames of the realm count as this file's.
const start = new vm.Script(`(function (${names.join()}) {'use strict';${text}\n})`, { filename: import.meta.url })
const values = vm.runInContext(`[${languages.join()}]`, realm)
// A stack that overflows in the recorder is the program's matter, which may ask what kind of error it has got.
Object.setPrototypeOf(vm.runInContext('RangeError.prototype', realm), RangeError.prototype)
delete vm.runInContext('RangeError.prototype', realm).constructor
start.runInContext(realm)(...values, ...Object.values(given))
