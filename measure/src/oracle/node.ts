/**
 * One small program for each kind of callback of Node, with what the trace must say of it; see `web.ts`. Each runs in a
 * timeout of its own. The text of these functions is what runs; `n` has Node's modules.
 */
import { interval, ofTimeout, settledElsewhere, timeoutInTimeout, webAssembly, within, type Marks } from './common.ts'
import type { Oracle } from './oracle.ts'

export type NodeM = Marks & { n: any }

export const nodeOracles: Oracle<NodeM>[] = [
  { name: 'timeout', kind: 'timeout', program: ({ c }) => void setTimeout(c, 2) },
  timeoutInTimeout,
  { name: 'timeout-refreshed', kind: 'timeout', program: ({ c }) => void setTimeout(c, 2).refresh() },
  interval,
  { name: 'immediate', kind: 'immediate', program: ({ c }) => void setImmediate(c) },
  {
    name: 'immediate-in-immediate',
    kind: 'immediate',
    program: ({ p, c }) => void setImmediate(() => (p(), setImmediate(c))),
  },
  { name: 'tick', expect: 'same', program: ({ c }) => process.nextTick(c) },
  { name: 'tick-in-tick', expect: 'same', program: ({ c }) => process.nextTick(() => process.nextTick(c)) },
  ...within,
  {
    name: 'emitter',
    expect: 'same',
    program: ({ n, c }) => {
      const e = new n.events()
      e.on('x', c)
      e.emit('x')
    },
  },
  ...ofTimeout,
  {
    name: 'catch-of-timeout',
    kind: 'timeout',
    program: ({ c }) => void new Promise((_, fail) => setTimeout(fail, 2)).catch(c),
  },
  {
    name: 'finally-of-timeout',
    kind: 'timeout',
    program: ({ c }) => void new Promise((done) => setTimeout(done, 2)).finally(c),
  },
  {
    name: 'promise-all',
    expect: 'either',
    program: ({ c }) => void Promise.all([1, 2].map((ms) => new Promise((done) => setTimeout(done, ms)))).then(c),
  },
  {
    name: 'promise-race',
    expect: 'either',
    program: ({ c }) => void Promise.race([1, 20].map((ms) => new Promise((done) => setTimeout(done, ms)))).then(c),
  },
  settledElsewhere,
  {
    name: 'async-generator',
    expect: 'either',
    program: async ({ n, p, c }) => {
      async function* g(): any {
        yield 1
        await n.timers.setTimeout(2)
        yield 2
      }
      let k = 0
      for await (const _ of g())
        if (++k === 1) p()
        else c()
    },
  },
  {
    name: 'timers-promises',
    kind: 'timeout',
    program: async ({ n, p, c }) => {
      p()
      await n.timers.setTimeout(2)
      c()
    },
  },
  {
    name: 'timers-promises-immediate',
    kind: 'immediate',
    program: async ({ n, p, c }) => {
      p()
      await n.timers.setImmediate()
      c()
    },
  },
  {
    name: 'timers-promises-interval',
    expect: 'either',
    program: async ({ n, c, p }) => {
      let k = 0
      p()
      for await (const _ of n.timers.setInterval(2))
        if (++k === 1) {
          c()
          break
        }
    },
  },
  {
    name: 'promisify',
    kind: 'timeout',
    program: async ({ n, p, c }) => {
      p()
      await n.util.promisify((done: any) => setTimeout(done, 2))()
      c()
    },
  },
  {
    name: 'events-once',
    expect: 'alternative',
    program: async ({ n, p, c }) => {
      const e = new n.events()
      setTimeout(() => e.emit('x'), 3)
      p()
      await n.events.once(e, 'x')
      c()
    },
  },
  { name: 'read-file', promise: true, kind: 'fs', program: ({ n, c }) => n.fs.readFile(n.file, c) },
  { name: 'stat', kind: 'fs', program: ({ n, c }) => n.fs.stat(n.file, c) },
  {
    name: 'open-read-close',
    kind: 'fs',
    program: ({ n, p, c }) =>
      n.fs.open(
        n.file,
        'r',
        (_: any, fd: number) => (p(), n.fs.read(fd, Buffer.alloc(4), 0, 4, 0, () => (c(), n.fs.close(fd)))),
      ),
  },
  { name: 'write-file', promise: true, kind: 'fs', program: ({ n, c }) => n.fs.writeFile(`${n.dir}/w1`, 'x', c) },
  { name: 'read-directory', kind: 'fs', program: ({ n, c }) => n.fs.readdir(n.dir, c) },
  {
    name: 'await-read-file',
    promise: true,
    expect: 'either',
    program: async ({ n, p, c }) => {
      p()
      await n.fs.promises.readFile(n.file)
      c()
    },
  },
  {
    name: 'await-stat',
    expect: 'either',
    program: async ({ n, p, c }) => {
      p()
      await n.fs.promises.stat(n.file)
      c()
    },
  },
  {
    name: 'await-write-file',
    promise: true,
    expect: 'either',
    program: async ({ n, p, c }) => {
      p()
      await n.fs.promises.writeFile(`${n.dir}/w2`, 'x')
      c()
    },
  },
  {
    name: 'open-directory',
    expect: 'either',
    program: async ({ n, p, c }) => {
      p()
      const d = await n.fs.promises.opendir(n.dir)
      c()
      await d.close()
    },
  },
  {
    name: 'read-stream',
    promise: true,
    expect: 'either',
    program: ({ n, c }) => n.fs.createReadStream(n.file).once('data', c),
  },
  {
    name: 'read-stream-end',
    promise: true,
    expect: 'either',
    program: ({ n, c }) => n.fs.createReadStream(n.file).on('end', c).resume(),
  },
  {
    name: 'write-stream',
    promise: true,
    expect: 'either',
    program: ({ n, c }) => n.fs.createWriteStream(`${n.dir}/w3`).end('x', c),
  },
  {
    name: 'pipeline',
    promise: true,
    expect: 'either',
    program: ({ n, c }) => n.stream.pipeline(n.fs.createReadStream(n.file), n.fs.createWriteStream(`${n.dir}/w4`), c),
  },
  {
    name: 'readable-iterator',
    expect: 'either',
    program: async ({ n, p, c }) => {
      p()
      for await (const _ of n.fs.createReadStream(n.file)) {
        c()
        break
      }
    },
  },
  {
    name: 'read-lines',
    promise: true,
    expect: 'either',
    program: ({ n, c }) => n.readline.createInterface({ input: n.fs.createReadStream(n.file) }).once('line', c),
  },
  {
    name: 'watch',
    kind: 'fs',
    expect: 'either',
    program: ({ n, c }) => {
      const w = n.fs.watch(n.dir, () => (c(), w.close()))
      setTimeout(() => n.fs.writeFileSync(`${n.dir}/w5`, 'x'), 20)
    },
  },
  { name: 'lookup', kind: 'dns', program: ({ n, c }) => n.dns.lookup('localhost', c) },
  {
    name: 'await-lookup',
    expect: 'either',
    program: async ({ n, p, c }) => {
      p()
      await n.dns.promises.lookup('localhost')
      c()
    },
  },
  {
    name: 'server-listening',
    program: ({ n, c }) => {
      const s = n.net.createServer().listen(0, '127.0.0.1', () => (c(), s.close()))
    },
    expect: 'same',
  },
  {
    name: 'server-connection',
    kind: 'net',
    expect: 'either',
    program: ({ n, c }) => {
      const s = n.net.createServer((k: any) => (c(), k.destroy(), s.close())).listen(0, '127.0.0.1')
      s.once('listening', () => n.net.connect(s.address().port, '127.0.0.1').on('error', () => {}))
    },
  },
  {
    name: 'connect',
    kind: 'net',
    program: ({ n, p, c }) => {
      const s = n.net
        .createServer((k: any) => k.destroy())
        .listen(
          0,
          '127.0.0.1',
          () => (p(), n.net.connect(s.address().port, '127.0.0.1', () => (c(), s.close())).on('error', () => {})),
        )
    },
  },
  {
    name: 'socket-data',
    kind: 'net',
    expect: 'recurring',
    program: ({ n, p, c }) => {
      const s = n.net
        .createServer((k: any) => {
          let left = 2
          k.on('error', () => {})
          k.write('a')
          k.on('data', () => (--left > 0 ? k.write('b') : (k.end(), s.close())))
        })
        .listen(0, '127.0.0.1', () => {
          p()
          const k = n.net.connect(s.address().port, '127.0.0.1').on('data', () => (c(), k.write('x')))
        })
    },
  },
  {
    name: 'pipe-connect',
    kind: 'net',
    program: ({ n, p, c }) => {
      const s = n.net
        .createServer((k: any) => k.destroy())
        .listen(`${n.dir}/s1`, () => (p(), n.net.connect(`${n.dir}/s1`, () => (c(), s.close())).on('error', () => {})))
    },
  },
  {
    name: 'udp-message',
    kind: 'net',
    expect: 'either',
    program: ({ n, c }) => {
      const s = n.dgram
        .createSocket('udp4', () => (c(), s.close()))
        .bind(0, '127.0.0.1', () => s.send('x', s.address().port, '127.0.0.1'))
    },
  },
  {
    name: 'http-request',
    promise: true,
    kind: 'http',
    expect: 'either',
    program: ({ n, c }) => {
      const s = n.http
        .createServer((_: any, r: any) => (c(), r.end(), s.close(), s.closeAllConnections()))
        .listen(0, '127.0.0.1', () => n.http.get({ port: s.address().port, agent: false }).on('error', () => {}))
    },
  },
  {
    name: 'http-response',
    expect: 'either',
    program: ({ n, p, c }) => {
      const s = n.http
        .createServer((_: any, r: any) => r.end('x'))
        .listen(
          0,
          '127.0.0.1',
          () => (p(), n.http.get({ port: s.address().port, agent: false }, (r: any) => (c(), r.resume(), s.close()))),
        )
    },
  },
  {
    name: 'http-response-end',
    expect: 'either',
    program: ({ n, p, c }) => {
      const s = n.http
        .createServer((_: any, r: any) => r.end('x'))
        .listen(
          0,
          '127.0.0.1',
          () => (
            p(),
            n.http.get({ port: s.address().port, agent: false }, (r: any) =>
              r.resume().on('end', () => (c(), s.close())),
            )
          ),
        )
    },
  },
  {
    name: 'fetch',
    expect: 'either',
    program: ({ n, p, c }) => {
      const s = n.http
        .createServer((_: any, r: any) => r.end('x'))
        .listen(0, '127.0.0.1', async () => {
          p()
          const r = await fetch(`http://127.0.0.1:${s.address().port}/`)
          c()
          await r.text()
          s.close()
          s.closeAllConnections()
        })
    },
  },
  {
    name: 'spawn-exit',
    kind: 'process',
    program: ({ n, c }) => void n.child.spawn('true').on('exit', c),
    expect: 'either',
  },
  { name: 'exec', expect: 'either', program: ({ n, c }) => void n.child.exec('true', c) },
  {
    name: 'child-output',
    expect: 'either',
    program: ({ n, c }) => void n.child.spawn('echo', ['x']).stdout.once('data', c),
  },
  {
    name: 'signal',
    kind: 'process',
    expect: 'either',
    program: ({ c }) => {
      process.once('SIGUSR2', c)
      setTimeout(() => process.kill(process.pid, 'SIGUSR2'), 3)
    },
  },
  { name: 'gzip', program: ({ n, c }) => n.zlib.gzip('x', c), expect: 'either' },
  { name: 'random-bytes', kind: 'crypto', program: ({ n, c }) => n.crypto.randomBytes(8, c) },
  { name: 'pbkdf2', kind: 'crypto', program: ({ n, c }) => n.crypto.pbkdf2('a', 'b', 10, 8, 'sha256', c) },
  { name: 'scrypt', kind: 'crypto', program: ({ n, c }) => n.crypto.scrypt('a', 'b', 8, { N: 16 }, c) },
  { name: 'key-pair', kind: 'crypto', program: ({ n, c }) => n.crypto.generateKeyPair('ed25519', {}, c) },
  {
    name: 'web-crypto',
    expect: 'either',
    program: async ({ p, c }) => {
      p()
      await crypto.subtle.digest('SHA-256', new Uint8Array(4))
      c()
    },
  },
  {
    name: 'message-port',
    kind: 'message-port',
    program: ({ c }) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => (c(), port1.close())
      port2.postMessage(1)
    },
    expect: 'either',
  },
  {
    name: 'broadcast-channel',
    kind: 'message-port',
    expect: 'either',
    program: ({ c }) => {
      const a: any = new BroadcastChannel('b')
      const b = new BroadcastChannel('b')
      a.onmessage = () => (c(), a.close(), b.close())
      b.postMessage(1)
    },
  },
  {
    name: 'worker-message',
    expect: 'either',
    program: ({ n, c }) => {
      const w = new n.threads.Worker('require("worker_threads").parentPort.postMessage(1)', { eval: true })
      w.once('message', c)
    },
  },
  {
    name: 'worker-exit',
    kind: 'worker-message',
    expect: 'either',
    program: ({ n, c }) => void new n.threads.Worker('', { eval: true }).on('exit', c),
  },
  {
    name: 'dynamic-import',
    optional: true,
    expect: 'same',
    program: async ({ p, c }) => {
      p()
      await import('node:trace_events')
      c()
    },
  },
  // A task of V8's own settles this, and may be continued at the end of another callback: without promise hooks it is
  // then taken for a part of that.
  { ...webAssembly, expect: 'either' },
  {
    name: 'abort-timeout',
    kind: 'timeout',
    program: ({ c }) => {
      AbortSignal.timeout(3).onabort = c
      setTimeout(() => {}, 8)
    },
  },
  {
    name: 'performance-observer',
    expect: 'either',
    program: ({ c }) => {
      const o = new PerformanceObserver(() => (c(), o.disconnect()))
      o.observe({ entryTypes: ['mark'] })
      performance.mark('x')
    },
  },
  { name: 'async-resource', expect: 'same', program: ({ n, c }) => new n.hooks.AsyncResource('X').runInAsyncScope(c) },
  {
    name: 'async-local-storage',
    kind: 'timeout',
    program: ({ n, c }) => new n.hooks.AsyncLocalStorage().run(1, () => void setTimeout(c, 2)),
  },
]

/** A module that runs the programs. */
export function nodeProgram(only?: string[]): string {
  const chosen = nodeOracles.filter((o) => only === undefined || only.includes(o.name))
  return `import hooks from 'node:async_hooks'
import child from 'node:child_process'
import crypto_ from 'node:crypto'
import dgram from 'node:dgram'
import dns from 'node:dns'
import events from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import readline from 'node:readline'
import stream from 'node:stream'
import timers from 'node:timers/promises'
import util from 'node:util'
import threads from 'node:worker_threads'
import zlib from 'node:zlib'
const dir = fs.mkdtempSync(os.tmpdir() + '/charcoal-oracle-')
const file = dir + '/file'
fs.writeFileSync(file, 'a\\nb\\n')
const n = {
  hooks, child, crypto: crypto_, dgram, dns, events, fs, http, net, readline, stream, timers, util, threads, zlib,
  dir, file,
}
const mark = globalThis[Symbol.for('charcoal.mark')] ?? (() => {})
const programs = {
${chosen.map((o) => `${JSON.stringify(o.name)}: ${String(o.program)}`).join(',\n')}
}
let at = 0
for (const [name, program] of Object.entries(programs)) {
  const m = { n, p: () => mark('p:' + name), c: () => mark('c:' + name) }
  setTimeout(() => { m.p(); Promise.resolve(program(m)).catch((error) => console.error(name, error)) }, 10 + (at += 4))
}
process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
`
}
