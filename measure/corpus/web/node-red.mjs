// Node-RED's editor: flows that send once a second are watched, nodes are added, edited, wired up and deployed.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { centre, erase, lookUp } from '../gestures.mjs'

const flows = [
  { id: 'tab1', type: 'tab', label: 'Flow 1' },
  {
    id: 'in1',
    type: 'inject',
    z: 'tab1',
    name: 'tick',
    repeat: '1',
    once: true,
    topic: 'tick',
    payload: '',
    payloadType: 'date',
    x: 140,
    y: 120,
    wires: [['fn1']],
    props: [{ p: 'payload' }, { p: 'topic', vt: 'str' }],
  },
  {
    id: 'fn1',
    type: 'function',
    z: 'tab1',
    name: 'half',
    func: 'msg.payload = msg.payload % 1000;\nreturn msg;',
    outputs: 1,
    x: 320,
    y: 120,
    wires: [['db1', 'sw1']],
  },
  {
    id: 'sw1',
    type: 'switch',
    z: 'tab1',
    name: 'large?',
    property: 'payload',
    propertyType: 'msg',
    rules: [{ t: 'gt', v: '500', vt: 'num' }, { t: 'else' }],
    checkall: 'true',
    outputs: 2,
    x: 490,
    y: 180,
    wires: [['db1'], ['de1']],
  },
  {
    id: 'de1',
    type: 'delay',
    z: 'tab1',
    name: '',
    pauseType: 'delay',
    timeout: '300',
    timeoutUnits: 'milliseconds',
    rate: '1',
    nbRateUnits: '1',
    rateUnits: 'second',
    randomFirst: '1',
    randomLast: '5',
    randomUnits: 'seconds',
    drop: false,
    allowrate: false,
    outputs: 1,
    x: 640,
    y: 220,
    wires: [['db1']],
  },
  {
    id: 'db1',
    type: 'debug',
    z: 'tab1',
    name: 'show',
    active: true,
    tosidebar: true,
    console: false,
    complete: 'payload',
    x: 700,
    y: 120,
    wires: [],
  },
]

export default {
  title: 'Node-RED',
  package: ['npm', 'node-red'],
  async serve({ module, dir, port, start }) {
    mkdirSync(path.join(dir, 'red'), { recursive: true })
    writeFileSync(path.join(dir, 'red/flows.json'), JSON.stringify(flows))
    writeFileSync(
      path.join(dir, 'red/settings.js'),
      "module.exports = { flowFile: 'flows.json', uiHost: '127.0.0.1', logging: { console: { level: 'warn' } }, " +
        'telemetry: { enabled: false, updateNotification: false }, ' +
        'editorTheme: { tours: false, projects: { enabled: false } } }\n',
    )
    await start(process.execPath, [module('node-red/red.js'), '-u', path.join(dir, 'red'), '-p', String(port)], {
      ready: `http://127.0.0.1:${port}/settings`,
    })
    return { url: `http://127.0.0.1:${port}/` }
  },
  ready: '.red-ui-flow-node',
  first: [['debug sidebar', async (page) => page.press('Control+G')]],
  actions: [
    [
      'debug tab',
      async (page) => {
        await page.press('Control+G')
        await page.press('D')
        await page.sleep(2500)
      },
    ],
    [
      'search the palette',
      async (page) => {
        await page.type('#red-ui-palette-search input', 'change', 60)
        await page.sleep(500)
        await page.click('#red-ui-palette-search input')
        await erase(page, 6)
        await page.sleep(300)
      },
    ],
    [
      'drag a node in',
      async (page, n) => {
        await page.evaluate(() => document.querySelector('.red-ui-palette-node').scrollIntoView())
        const node = await centre(page, '.red-ui-palette-node')
        await page.drag(node, { x: 380 + (n % 5) * 60, y: 380 + (n % 4) * 40 }, 16)
        await page.sleep(400)
      },
    ],
    [
      'edit a node',
      async (page) => {
        await page.doubleClick('.red-ui-flow-node-group:nth-of-type(2) .red-ui-flow-node, .red-ui-flow-node')
        await page.sleep(900)
        await page.type('#node-input-name', 'x', 40)
        await page.sleep(300)
        await page.click('#node-dialog-ok')
        await page.sleep(500)
      },
    ],
    [
      'move a node',
      async (page) => {
        const node = await centre(page, '.red-ui-flow-node')
        await page.drag(node, { x: node.x + 40, y: node.y + 25 }, 14)
        await page.sleep(200)
        await page.press('Control+Z')
      },
    ],
    [
      'deploy',
      async (page) => {
        await page.click('#red-ui-header-button-deploy')
        await page.sleep(700)
        if (await page.visible('text=Confirm deploy')) await page.click('text=Confirm deploy')
        await page.sleep(1200)
      },
    ],
    ['search flows', (page) => lookUp(page, 'Control+F', 'half', { opens: 400, pause: 60, reads: 400 })],
    [
      'information',
      async (page) => {
        await page.press('Control+G')
        await page.press('I')
        await page.sleep(800)
      },
    ],
  ],
}
