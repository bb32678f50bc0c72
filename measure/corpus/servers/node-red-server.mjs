// Node-RED runs a flow that answers requests, splits and delays messages, and appends to a file.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crowd, send } from '../load.mjs'

const settings = {
  flowFile: 'flows.json',
  uiHost: '127.0.0.1',
  telemetry: { enabled: false, updateNotification: false },
  logging: { console: { level: 'warn' } },
}

const node = (id, type, wires, more = {}) => ({ id, type, z: 'tab1', x: 100, y: 100, wires: [wires], ...more })
const count = `const n = (flow.get('n') || 0) + 1
flow.set('n', n)
msg.payload = { n, got: msg.payload }
return msg`

const flows = (dir) => [
  { id: 'tab1', type: 'tab', label: 'Flow 1' },
  node('in', 'http in', ['fn'], { url: '/work', method: 'post' }),
  node('fn', 'function', ['sp', 'st'], { func: count, outputs: 1 }),
  node('sp', 'split', ['ch'], { splt: '\\n', spltType: 'str', arraySplt: 1, arraySpltType: 'len' }),
  node('ch', 'change', ['fl'], { rules: [{ t: 'set', p: 'topic', pt: 'msg', to: 'x', tot: 'str' }] }),
  node('fl', 'file', [], {
    filename: path.join(dir, 'out.log'),
    filenameType: 'str',
    appendNewline: true,
    overwriteFile: 'false',
  }),
  node('st', 'delay', ['out'], { pauseType: 'delay', timeout: '5', timeoutUnits: 'milliseconds', rate: '1' }),
  node('out', 'http response', [], { statusCode: '' }),
  node('tick', 'inject', ['fn2'], { repeat: '0.5', once: true, payloadType: 'date', props: [{ p: 'payload' }] }),
  node('fn2', 'function', ['fl'], { func: 'msg.payload = "tick"\nreturn msg', outputs: 1 }),
]

export default {
  title: 'Node-RED (server)',
  package: ['npm', 'node-red'],
  command({ module, dir, port }) {
    mkdirSync(path.join(dir, 'red'), { recursive: true })
    writeFileSync(path.join(dir, 'red/settings.js'), `module.exports = ${JSON.stringify(settings)}\n`)
    writeFileSync(path.join(dir, 'red/flows.json'), JSON.stringify(flows(dir)))
    return {
      program: module('node-red/red.js'),
      args: ['-u', path.join(dir, 'red'), '-p', String(port)],
      ready: 'settings',
    }
  },
  load: (url, until) => crowd(8, 50, until, (user, turn) => send(`${url}work`, 'POST', { user, turn })),
}
