// marimo's editor: cells are written and run, a slider drives other cells, a table is paged.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { lookUp, presses, times } from '../gestures.mjs'

const notebook = `import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    return (mo,)


@app.cell
def _(mo):
    n = mo.ui.slider(1, 60, value=7, label="n")
    n
    return (n,)


@app.cell
def _(mo, n):
    mo.md("\\n".join(f"- {i} squared is {i * i}" for i in range(n.value)))
    return


@app.cell
def _(mo, n):
    mo.ui.table([{"i": i, "square": i * i, "cube": i**3} for i in range(n.value * 4)])
    return


if __name__ == "__main__":
    app.run()
`

export default {
  title: 'marimo',
  package: ['pip', 'marimo'],
  async serve({ python, dir, port, start }) {
    writeFileSync(path.join(dir, 'notebook.py'), notebook)
    await start(
      python('marimo'),
      [
        'edit',
        path.join(dir, 'notebook.py'),
        '--headless',
        '--no-token',
        '--skip-update-check',
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
      ],
      {
        ready: `http://127.0.0.1:${port}/health`,
        env: { HOME: dir, XDG_CONFIG_HOME: `${dir}/config`, XDG_STATE_HOME: `${dir}/state` },
      },
    )
    return { url: `http://127.0.0.1:${port}/` }
  },
  ready: '.cm-content',
  first: [
    [
      'run all',
      async (page) => {
        await page.press('Control+Shift+R')
        page.timeout = 20_000
        await page.waitFor('[role=slider]').finally(() => (page.timeout = 5000))
      },
    ],
  ],
  actions: [
    [
      'slider',
      async (page, n) => {
        await page.click('[role=slider]')
        await presses(page, times(12, n % 2 ? 'ArrowLeft' : 'ArrowRight'), 150)
        await page.sleep(600)
      },
    ],
    [
      'write a cell',
      async (page, n) => {
        await page.click('.cm-content')
        await page.press('Control+End')
        await page.press('End')
        await page.type(null, `  # note ${n}`, 50)
        await page.press('Control+Enter')
        await page.sleep(1200)
      },
    ],
    [
      'run all',
      async (page) => {
        await page.press('Control+Shift+R')
        await page.sleep(1500)
      },
    ],
    [
      'page through the table',
      async (page) => {
        await page.scroll(600, '.cm-content')
        await page.sleep(300)
        if (await page.visible('[aria-label="Go to next page"], button[data-testid="next-page-button"]'))
          await page.click('[aria-label="Go to next page"], button[data-testid="next-page-button"]')
        await page.sleep(500)
        await page.scroll(-600)
      },
    ],
    ['command palette', (page) => lookUp(page, 'Control+K', 'format', { opens: 500, pause: 60, reads: 400 })],
    [
      'save',
      async (page) => {
        await page.press('Control+S')
        await page.sleep(800)
        // It may ask for a name.
        if (await page.visible('[role=dialog]')) await page.press('Escape')
      },
    ],
  ],
}
