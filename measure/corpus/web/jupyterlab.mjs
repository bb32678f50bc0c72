// JupyterLab: a notebook is written and run, files are browsed, Markdown and a text file are edited.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { lookUp, scrollAround } from '../gestures.mjs'

const write = (title, code) => [
  title,
  async (page) => {
    await page.click('.jp-Notebook .jp-Cell.jp-mod-active .cm-content')
    for (const [i, line] of code.split('\n').entries()) {
      if (i > 0) await page.press('Enter')
      await page.type(null, line.trimStart(), 25)
    }
    await page.press('Shift+Enter')
    await page.sleep(800)
  },
]

export default {
  title: 'JupyterLab',
  package: ['pip', 'jupyterlab'],
  async serve({ python, dir, port, start }) {
    mkdirSync(path.join(dir, 'work/data'), { recursive: true })
    writeFileSync(path.join(dir, 'work/notes.md'), '# Notes\n\n- one\n- two\n\n$e^{i\\pi}=-1$\n')
    writeFileSync(
      path.join(dir, 'work/data/table.csv'),
      'a,b,c\n' + Array.from({ length: 300 }, (_, i) => `${i},${i * i},${i % 7}`).join('\n'),
    )
    await start(
      python('jupyter-lab'),
      [
        '--no-browser',
        '--ip=127.0.0.1',
        `--port=${port}`,
        '--ServerApp.port_retries=0',
        '--IdentityProvider.token=',
        '--ServerApp.password=',
        '--allow-root',
        `--ServerApp.root_dir=${dir}/work`,
      ],
      {
        ready: `http://127.0.0.1:${port}/api`,
        env: {
          HOME: dir,
          JUPYTER_CONFIG_DIR: `${dir}/config`,
          JUPYTER_DATA_DIR: `${dir}/data`,
          IPYTHONDIR: `${dir}/ipython`,
        },
      },
    )
    return { url: `http://127.0.0.1:${port}/lab` }
  },
  ready: '.jp-Launcher',
  first: [
    [
      'notebook',
      async (page) => {
        await page.click('.jp-LauncherCard[data-category="Notebook"]')
        await page.waitFor('.jp-Notebook .jp-Cell .cm-content')
        await page.sleep(1500)
      },
    ],
  ],
  actions: [
    write('a value', '[p for p in range(2, 200) if all(p % q for q in range(2, p))]'),
    ['save', async (page) => page.press('Control+S')],
    [
      'file browser',
      async (page) => {
        await page.click('.jp-DirListing-item[title^="Name: notes.md"], .jp-DirListing-item')
        await page.sleep(400)
        await page.click('.jp-DirListing-headerItem')
      },
    ],
    write('output in steps', 'import time\nfor i in range(5):\n    print(i, i * i)\n    time.sleep(0.2)'),
    ['scroll', (page) => scrollAround(page, { down: 3, by: 300, pause: 120, over: '.jp-Notebook' })],
    ['command palette', (page) => lookUp(page, 'Control+Shift+C', 'theme', { opens: 500, pause: 60, reads: 500 })],
    [
      'menus',
      async (page) => {
        for (const menu of ['File', 'Edit', 'View', 'Run']) {
          await page.click(`text=${menu}`)
          await page.sleep(300)
          await page.press('Escape')
        }
      },
    ],
    write('a dictionary', "{w: len(w) for w in 'the quick brown fox'.split()}"),
    [
      'running panel',
      async (page) => {
        await page.click('.jp-SideBar .lm-TabBar-tab[data-id="jp-running-sessions"]')
        await page.sleep(700)
        await page.click('.jp-SideBar .lm-TabBar-tab[data-id="filebrowser"]')
      },
    ],
  ],
}
