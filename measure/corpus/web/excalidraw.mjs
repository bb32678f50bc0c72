// Excalidraw: shapes are drawn, written on, selected, moved, undone; the canvas is zoomed and scrolled.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { presses, scrollAround, times } from '../gestures.mjs'

const host = `
import React from 'react'
import { createRoot } from 'react-dom/client'
import { Excalidraw } from '@excalidraw/excalidraw'
import '@excalidraw/excalidraw/index.css'
const app = React.createElement('div', { style: { height: '100vh' } }, React.createElement(Excalidraw))
createRoot(document.getElementById('root')).render(app)
`
const draw = (key, n, page) => async () => {
  await page.press(key)
  await page.sleep(120)
  const x = 260 + ((n * 83) % 560)
  const y = 180 + ((n * 57) % 380)
  await page.drag({ x, y }, { x: x + 110, y: y + 70 }, 18)
  await page.sleep(250)
}

export default {
  title: 'Excalidraw',
  package: ['npm', '@excalidraw/excalidraw'],
  async serve({ module, dir, site, esbuild, apps }) {
    const entry = path.join(apps, 'excalidraw-host.mjs')
    writeFileSync(entry, host)
    await esbuild.build({
      entryPoints: { app: entry },
      bundle: true,
      conditions: ['production'],
      format: 'esm',
      splitting: true,
      minify: true,
      sourcemap: true,
      outdir: path.join(dir, 'dist'),
      define: { 'process.env.NODE_ENV': '"production"', 'process.env.IS_PREACT': '"false"' },
      loader: { '.woff2': 'file' },
      logLevel: 'error',
    })
    return site(
      {
        '/': [
          'text/html',
          () =>
            '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/dist/app.css">' +
            '<script>window.EXCALIDRAW_ASSET_PATH = "/assets/"</script>' +
            '<body style="margin:0"><div id="root"></div><script type="module" src="/dist/app.js"></script>',
        ],
      },
      { '/dist/': path.join(dir, 'dist'), '/assets/': module('@excalidraw/excalidraw/dist/prod') },
    )
  },
  ready: 'canvas.interactive',
  first: [['settle', async (page) => page.sleep(800)]],
  actions: [
    ['rectangle', async (page, n) => draw('r', n, page)()],
    ['ellipse', async (page, n) => draw('o', n + 3, page)()],
    ['arrow', async (page, n) => draw('a', n + 5, page)()],
    [
      'free hand',
      async (page, n) => {
        await page.press('p')
        for (let i = 0; i < 3; i++)
          await page.drag({ x: 300 + i * 40, y: 220 + n * 7 }, { x: 380 + i * 40, y: 300 + n * 7 }, 24)
        await page.sleep(200)
      },
    ],
    [
      'text',
      async (page, n) => {
        await page.press('t')
        await page.mouse(330 + ((n * 71) % 480), 240 + ((n * 43) % 320))
        await page.sleep(200)
        await page.type(null, `note ${n} on this`, 50)
        await page.press('Escape')
        await page.sleep(200)
      },
    ],
    [
      'select and move',
      async (page, n) => {
        await page.press('v')
        await page.drag({ x: 230, y: 150 }, { x: 620, y: 520 }, 16)
        await page.sleep(150)
        await presses(page, times(8, n % 2 ? 'ArrowRight' : 'ArrowDown'), 50)
        await page.press('Escape')
      },
    ],
    [
      'zoom and pan',
      async (page) => {
        await page.move(600, 400)
        await scrollAround(page, { down: 5, by: 120, pause: 70 })
      },
    ],
    [
      'undo, redo',
      async (page) => {
        await presses(page, [...times(3, 'Control+Z'), ...times(3, 'Control+Shift+Z')], 150)
      },
    ],
    [
      'menu',
      async (page) => {
        await page.click('[data-testid="main-menu-trigger"]')
        await page.sleep(400)
        await page.press('Escape')
      },
    ],
  ],
}
