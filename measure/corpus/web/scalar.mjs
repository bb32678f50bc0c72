// Scalar's reference of an interface of twelve operations: read, searched, opened, and requests tried.
import { answer, spec } from '../shop.mjs'
import { lookUp, scrollAround, wander } from '../gestures.mjs'

const page_ = `<!doctype html><meta charset="utf-8"><body><script id="api-reference" data-url="/spec.json"></script>
<script src="/scalar/standalone.js"></script></body>`

export default {
  title: 'Scalar',
  package: ['npm', '@scalar/api-reference'],
  async serve({ module, site }) {
    return site(
      {
        '/': ['text/html', () => page_],
        '/spec.json': ['application/json', () => JSON.stringify(spec)],
        '/api/': ['application/json', () => JSON.stringify(answer)],
      },
      { '/scalar/': module('@scalar/api-reference/dist/browser') },
    )
  },
  ready: '.scalar-app .section, .references-rendered',
  first: [['settle', async (page) => page.sleep(800)]],
  actions: [
    ['scroll', (page) => scrollAround(page, { down: 7, up: 3, by: 350, pause: 160 })],
    [
      'go to an operation',
      async (page, n) => {
        await page.click(`text=${['pets', 'orders', 'users'][n % 3]}`)
        await page.sleep(900)
      },
    ],
    [
      'search',
      async (page) => {
        await lookUp(page, 'Control+K', 'list', { opens: 500, pause: 90, reads: 600 })
        await page.sleep(300)
      },
    ],
    [
      'hover over what can be clicked',
      (page) => wander(page, 15, (i) => [200 + (i % 3) * 300, 120 + i * 25], { steps: 2, pause: 50 }),
    ],
    [
      'try a request',
      async (page) => {
        await page.click('text=Test Request')
        await page.sleep(1200)
        await page.click('text=Send')
        await page.sleep(1200)
        await page.press('Escape')
        await page.sleep(500)
      },
    ],
  ],
}
