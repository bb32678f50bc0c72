// Swagger UI over an interface of twelve operations that answers: operations are opened, filled in and executed.
import { readFileSync } from 'node:fs'
import { answer, spec } from '../shop.mjs'
import { erase } from '../gestures.mjs'

const names = spec.tags.map(({ name }) => name)
const page_ = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/swagger-ui.css"><div id="ui"></div>
<script src="/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: '/spec.json', dom_id: '#ui', deepLinking: true, filter: true })</script>`

/** One operation is opened, filled in, executed and closed again. */
const execute = (tag, method) => [
  `${method} ${tag}`,
  async (page) => {
    const op = `[id="operations-${tag}-${tag}-${method === 'get' ? 'list' : 'add'}"]`
    if (!(await page.visible(`${op} .opblock-body`))) await page.click(`${op} .opblock-summary-control`)
    await page.waitFor(`${op} .opblock-body`)
    await page.sleep(400)
    if (await page.visible(`${op} .try-out__btn:not(.cancel)`)) await page.click(`${op} .try-out__btn:not(.cancel)`)
    await page.sleep(400)
    await page.click(`${op} .execute`)
    await page.sleep(700)
    await page.scroll(300)
    await page.sleep(200)
    await page.click(`${op} .try-out__btn.cancel`)
    await page.sleep(300)
    await page.click(`${op} .opblock-summary-control`)
    await page.sleep(400)
  },
]

export default {
  title: 'Swagger UI',
  package: ['npm', 'swagger-ui-dist'],
  async serve({ module, site }) {
    const asset = (name, type) => [type, () => readFileSync(module(`swagger-ui-dist/${name}`))]
    return site({
      '/': ['text/html', () => page_],
      '/swagger-ui.css': asset('swagger-ui.css', 'text/css'),
      '/swagger-ui-bundle.js': asset('swagger-ui-bundle.js', 'text/javascript'),
      '/spec.json': ['application/json', () => JSON.stringify(spec)],
      '/api/': ['application/json', () => JSON.stringify(answer)],
    })
  },
  ready: '.opblock',
  actions: [
    [
      'filter',
      async (page) => {
        await page.type('.operation-filter-input', 'ord', 120)
        await page.sleep(600)
        await erase(page, 3)
        await page.sleep(400)
      },
    ],
    ...names.flatMap((tag) => ['get', 'post'].map((method) => execute(tag, method))),
    [
      'schemas',
      async (page) => {
        for (const n of [1, 2, 3]) {
          await page.click(
            ['.model-box-control', 'button']
              .map((part) => `.models .model-container:nth-of-type(${n}) ${part}, `)
              .join('') + '.models button',
          )
          await page.sleep(300)
        }
      },
    ],
  ],
}
