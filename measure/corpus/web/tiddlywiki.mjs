// TiddlyWiki, saved to its own server: tiddlers are written, searched and closed, and lists of them opened.
import path from 'node:path'
import { erase, scrollAround } from '../gestures.mjs'

export default {
  title: 'TiddlyWiki',
  package: ['npm', 'tiddlywiki'],
  async serve({ module, dir, port, start, run }) {
    const tiddlywiki = [module('tiddlywiki/tiddlywiki.js'), path.join(dir, 'wiki')]
    // Its themes and plugins are loaded by the next start only.
    await run(process.execPath, [...tiddlywiki, '--init', 'server'])
    await start(process.execPath, [...tiddlywiki, '--listen', `port=${port}`, 'host=127.0.0.1'], {
      ready: `http://127.0.0.1:${port}/status`,
    })
    return { url: `http://127.0.0.1:${port}/` }
  },
  ready: '.tc-sidebar-header',
  actions: [
    [
      'write a tiddler',
      async (page, n) => {
        await page.click(
          'button.tc-btn-\\%24\\%3A\\%2Fcore\\%2Fui\\%2FButtons\\%2Fnew-tiddler, [aria-label="new tiddler"]',
        )
        await page.waitFor('.tc-tiddler-edit-frame')
        await page.type('input.tc-titlebar', ` ${n}`, 50)
        await page.press('Tab')
        await page.click('.tc-tiddler-edit-frame textarea, .tc-tiddler-edit-frame iframe')
        await page.type(null, `A line with ''stress'' and [[a link ${n}]] in round ${n}.`, 35)
        await page.press('Control+Enter')
        await page.sleep(900)
      },
    ],
    [
      'search',
      async (page) => {
        await page.type('.tc-search input', 'line', 90)
        await page.sleep(900)
        await page.click('.tc-search input')
        await erase(page, 4)
        await page.sleep(300)
      },
    ],
    [
      'sidebar tabs',
      async (page) => {
        for (const name of ['Recent', 'Tools', 'More', 'Open']) {
          await page.click(`text=${name}`)
          await page.sleep(500)
        }
      },
    ],
    ['scroll', (page) => scrollAround(page, { down: 3, by: 250, pause: 150 })],
    [
      'close a tiddler',
      async (page) => {
        await page.hover('.tc-tiddler-frame')
        await page.click('.tc-tiddler-frame [aria-label="close"]')
        await page.sleep(600)
      },
    ],
  ],
}
