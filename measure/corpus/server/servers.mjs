// Node servers, each with the load it is put under. `load(url, until, random)` runs until `until()` is true, in this process, not in the recorded one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const pause = (ms) => new Promise((done) => setTimeout(done, ms))

/** `users` people who each do one thing after the other and think in between. Gives how many things were done, and how many went wrong. */
async function crowd(users, thinking, until, act) {
  let done = 0
  let failed = 0
  await Promise.all(
    Array.from({ length: users }, async (_, user) => {
      await pause(user * 37)
      for (let turn = 0; !until(); turn++) {
        try {
          await act(user, turn)
          done++
        } catch {
          failed++
          await pause(100)
        }
        await pause(thinking * (0.5 + ((user * 7 + turn * 13) % 10) / 10))
      }
    }),
  )
  return { done, failed }
}

const send = async (url, method, body, headers = {}) => {
  const answer = await fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, ...(body !== undefined && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  if (!answer.ok && answer.status !== 304) throw new Error(`${method} ${url}: ${answer.status} ${text.slice(0, 200)}`)
  return { text, cookie: answer.headers.get('set-cookie')?.split(';')[0] }
}

export default {
  express: {
    title: 'Express', package: ['npm', 'express'], program: 'express.mjs',
    load: (url, until) => {
      const cookies = []
      return crowd(10, 25, until, async (user, turn) => {
        const headers = cookies[user] ? { cookie: cookies[user] } : {}
        const step = (user + turn) % 6
        const { text, cookie } =
          step === 0 ? await send(`${url}items`, 'GET', undefined, headers)
          : step === 1 ? await send(`${url}basket`, 'POST', { id: turn }, headers)
          : step === 2 ? await send(`${url}orders`, 'POST', {}, headers)
          : step === 3 ? await send(url, 'GET', undefined, headers)
          : step === 4 ? await send(`${url}login`, 'POST', { password: `p${turn}` }, headers)
          : await send(`${url}orders/a${turn}`, 'GET', undefined, headers)
        if (cookie) cookies[user] = cookie
        return text
      })
    },
  },
  fastify: {
    title: 'Fastify', package: ['npm', 'fastify'], program: 'fastify.mjs',
    load: (url, until) =>
      crowd(10, 25, until, (user, turn) => {
        const step = (user + turn) % 8
        if (step === 7) return send(`${url}large`, 'GET')
        if (step === 6) return send(`${url}packed`, 'GET')
        if (step > 3) return send(`${url}notes/${turn % 60}`, 'PUT', { text: `note ${turn}` })
        return send(`${url}notes/${turn % 60}`, 'GET')
      }),
  },
  'socket.io': {
    title: 'Socket.IO', package: ['npm', 'socket.io'], program: 'socket.io.mjs',
    load: async (url, until, { load }) => {
      const { io } = await load('socket.io-client')
      const sockets = []
      try {
        return await crowd(12, 60, until, async (user, turn) => {
          if (sockets[user] === undefined || turn % 40 === 39) {
            sockets[user]?.close()
            sockets[user] = io(url, { forceNew: true, transports: user % 3 === 0 ? ['polling', 'websocket'] : ['websocket'] })
            await sockets[user].timeout(3000).emitWithAck('join', `room ${user % 3}`)
          }
          sockets[user].emit('typing', `room ${user % 3}`)
          await sockets[user].timeout(3000).emitWithAck('message', `room ${user % 3}`, `text ${turn}`)
        })
      } finally {
        for (const socket of sockets) socket?.close()
      }
    },
  },
  apollo: {
    title: 'Apollo Server', package: ['npm', '@apollo/server'], program: 'apollo.mjs',
    load: (url, until) =>
      crowd(8, 40, until, (user, turn) => {
        const step = (user + turn) % 4
        const query =
          step === 0 ? '{ books(first: 15) { title author { name } } }'
          : step === 1 ? `{ author(id: "${turn % 40}") { name books { title author { name } } } }`
          : step === 2 ? `mutation { rename(id: "${turn}", title: "new ${turn}") { title author { name } } }`
          : '{ books(first: 5) { id title } }'
        return send(url, 'POST', { query })
      }),
  },
  koa: {
    title: 'Koa', package: ['npm', 'koa'], program: 'koa.mjs',
    load: (url, until) => crowd(10, 25, until, (user, turn) => send(turn % 4 === 3 ? `${url}through` : turn % 4 === 2 ? `${url}add?url=${turn}` : `${url}${(turn % 300).toString(36)}`, 'GET')),
  },
  'node-red-server': {
    title: 'Node-RED (server)', package: ['npm', 'node-red'],
    command: ({ module, dir, port }) => {
      mkdirSync(path.join(dir, 'red'), { recursive: true })
      writeFileSync(path.join(dir, 'red/settings.js'), "module.exports = { flowFile: 'flows.json', uiHost: '127.0.0.1', telemetry: { enabled: false, updateNotification: false }, logging: { console: { level: 'warn' } } }\n")
      writeFileSync(path.join(dir, 'red/flows.json'), JSON.stringify([
        { id: 'tab1', type: 'tab', label: 'Flow 1' },
        { id: 'in', type: 'http in', z: 'tab1', url: '/work', method: 'post', x: 100, y: 100, wires: [['fn']] },
        { id: 'fn', type: 'function', z: 'tab1', func: "const n = (flow.get('n') || 0) + 1;\nflow.set('n', n);\nmsg.payload = { n, got: msg.payload };\nreturn msg;", outputs: 1, x: 300, y: 100, wires: [['sp', 'st']] },
        { id: 'sp', type: 'split', z: 'tab1', splt: '\\n', spltType: 'str', arraySplt: 1, arraySpltType: 'len', x: 400, y: 200, wires: [['ch']] },
        { id: 'ch', type: 'change', z: 'tab1', rules: [{ t: 'set', p: 'topic', pt: 'msg', to: 'x', tot: 'str' }], x: 500, y: 200, wires: [['fl']] },
        { id: 'fl', type: 'file', z: 'tab1', filename: path.join(dir, 'out.log'), filenameType: 'str', appendNewline: true, overwriteFile: 'false', x: 700, y: 200, wires: [[]] },
        { id: 'st', type: 'delay', z: 'tab1', pauseType: 'delay', timeout: '5', timeoutUnits: 'milliseconds', rate: '1', x: 500, y: 100, wires: [['out']] },
        { id: 'out', type: 'http response', z: 'tab1', statusCode: '', x: 700, y: 100, wires: [] },
        { id: 'tick', type: 'inject', z: 'tab1', repeat: '0.5', once: true, payload: '', payloadType: 'date', props: [{ p: 'payload' }], x: 100, y: 300, wires: [['fn2']] },
        { id: 'fn2', type: 'function', z: 'tab1', func: 'msg.payload = "tick";\nreturn msg;', outputs: 1, x: 300, y: 300, wires: [['fl']] },
      ]))
      return { program: module('node-red/red.js'), args: ['-u', path.join(dir, 'red'), '-p', String(port)], ready: 'settings' }
    },
    load: (url, until) => crowd(8, 50, until, (user, turn) => send(`${url}work`, 'POST', { user, turn })),
  },
  'pouchdb-server': {
    title: 'PouchDB Server', package: ['npm', 'pouchdb-server'],
    command: ({ module, dir, port }) => ({ program: module('pouchdb-server/bin/pouchdb-server'), args: ['--host', '127.0.0.1', '--port', String(port), '--in-memory', '--no-stdout-logs', '--config', path.join(dir, 'config.json')], ready: '' }),
    load: async (url, until) => {
      await send(`${url}shop`, 'PUT')
      return crowd(8, 40, until, async (user, turn) => {
        const step = turn % 4
        if (step === 0) await send(`${url}shop`, 'POST', { user, turn, text: 'x'.repeat(50) })
        else if (step === 1) await send(`${url}shop/_all_docs?limit=20&include_docs=true`, 'GET')
        else if (step === 2) await send(`${url}shop/_bulk_docs`, 'POST', { docs: Array.from({ length: 5 }, (_, i) => ({ _id: `d${user}-${turn}-${i}`, n: i })) })
        else await send(`${url}shop/_changes?limit=20`, 'GET')
      })
    },
  },
  vite: {
    title: 'Vite (dev server)', package: ['npm', 'vite'],
    command: ({ module, dir, port }) => {
      mkdirSync(path.join(dir, 'src'), { recursive: true })
      writeFileSync(path.join(dir, 'package.json'), '{"type":"module"}')
      writeFileSync(path.join(dir, 'index.html'), '<div id="app"></div><script type="module" src="/src/m0.ts"></script>')
      for (let i = 0; i < 60; i++) writeFileSync(path.join(dir, `src/m${i}.ts`), `${i < 59 ? `import { next } from './m${i + 1}.ts'\n` : 'const next = (n: number): number => n\n'}export function f(n: number): number {\n  return next(n) + ${i}\n}\nexport { f as next }\n`.replace('export { f as next }', i === 0 ? 'f(1)' : 'export { f as next }'))
      return { program: module('vite/bin/vite.js'), args: ['--port', String(port), '--strictPort', '--host', '127.0.0.1'], cwd: dir, ready: '' }
    },
    load: (url, until, { dir }) =>
      crowd(4, 60, until, async (user, turn) => {
        const i = (user * 15 + turn) % 60
        if (turn % 10 === 9) writeFileSync(path.join(dir, `src/m${i}.ts`), readFileSync(path.join(dir, `src/m${i}.ts`), 'utf8').replace(/ \+ \d+/, ` + ${turn}`))
        await send(`${url}src/m${i}.ts?t=${turn}`, 'GET', undefined, { accept: '*/*' })
        if (turn % 5 === 0) await send(url, 'GET', undefined, { accept: 'text/html' })
      }),
  },
}
