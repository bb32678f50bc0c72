// The Monaco editor with its TypeScript and JSON workers: code is written with completions, searched, renamed, folded.
import { presses, scrollAround, times, wander } from '../gestures.mjs'

const page_ = `<!doctype html><meta charset="utf-8"><body style="margin:0"><div id="editor" style="height:100vh"></div>
<script src="/vs/loader.js"></script>
<script>
require.config({ paths: { vs: '/vs' } })
require(['vs/editor/editor.main'], () => {
  const area = (_, i) => [
    'export function area' + i + '(width: number, height: number): number {',
    '  const name = "shape ' + i + '"',
    '  return width * height * ' + i,
    '}',
    '',
  ].join('\\n')
  window.editor = monaco.editor.create(document.getElementById('editor'), {
    value: Array.from({ length: 40 }, area).join('\\n'),
    language: 'typescript',
    automaticLayout: true,
    minimap: { enabled: true },
  })
})
</script>`

export default {
  title: 'Monaco Editor',
  package: ['npm', 'monaco-editor'],
  async serve({ module, site }) {
    return site({ '/': ['text/html', () => page_] }, { '/vs/': module('monaco-editor/min/vs') })
  },
  ready: '.monaco-editor .view-line',
  first: [['focus', async (page) => (await page.sleep(800), page.mouse(300, 60))]],
  actions: [
    [
      'write with completions',
      async (page, n) => {
        await page.press('Control+End')
        await page.type(null, `\nconst list${n} = [1, 2]\n`, 30)
        await page.type(null, `list${n}.`, 40)
        await page.sleep(800)
        await page.type(null, 'map', 40)
        await page.sleep(400)
        await page.press('Escape')
        await page.type(null, '(x => x)\n', 30)
        await page.sleep(500)
      },
    ],
    [
      'find',
      async (page) => {
        await page.press('Control+F')
        await page.sleep(300)
        await page.type(null, 'shape', 70)
        await presses(page, times(8, 'Enter'), 120)
        await page.press('Escape')
      },
    ],
    [
      'command palette',
      async (page) => {
        await page.press('F1')
        await page.sleep(500)
        await page.type(null, 'fold all', 60)
        await page.sleep(400)
        await page.press('Enter')
        await page.sleep(600)
        await page.press('F1')
        await page.sleep(300)
        await page.type(null, 'unfold all', 60)
        await page.press('Enter')
        await page.sleep(400)
      },
    ],
    ['hover', (page) => wander(page, 6, (i) => [150 + i * 20, 60 + i * 19], { steps: 3, pause: 450 })],
    ['scroll', (page) => scrollAround(page, { down: 7, by: 500, pause: 70, over: '.monaco-editor .view-lines' })],
    [
      'format',
      async (page) => {
        await page.press('Alt+Shift+F')
        await page.sleep(900)
      },
    ],
    [
      'move lines',
      async (page) => {
        await presses(page, ['Alt+ArrowDown', 'Alt+ArrowDown', 'Alt+ArrowUp', 'Alt+ArrowUp'], 90)
        await page.press('Control+Z')
      },
    ],
  ],
}
