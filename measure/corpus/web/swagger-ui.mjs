// Swagger UI over an interface of twelve operations that answers: operations are opened, filled in and executed.
import { readFileSync } from 'node:fs'

const names = ['pets', 'orders', 'users']
const operation = (tag, summary, more = {}) => ({ tags: [tag], summary, operationId: `${tag}-${summary}`.replaceAll(' ', '-'), responses: { 200: { description: 'done', content: { 'application/json': { schema: { $ref: `#/components/schemas/${tag}` } } } } }, ...more })
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 7 }
const body = (tag) => ({ requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${tag}` } } } } })
const spec = {
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1', description: '# A shop\nwith **pets**, orders and users.' },
  servers: [{ url: '/api' }],
  tags: names.map((name) => ({ name })),
  paths: Object.assign({}, ...names.map((tag) => ({
    [`/${tag}`]: { get: operation(tag, 'list', { parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } }] }), post: operation(tag, 'add', body(tag)) },
    [`/${tag}/{id}`]: { get: operation(tag, 'read', { parameters: [id] }), put: operation(tag, 'change', { parameters: [id], ...body(tag) }) },
  }))),
  components: { schemas: Object.fromEntries(names.map((tag) => [tag, { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } }, owner: { type: 'object', properties: { name: { type: 'string' }, mail: { type: 'string' } } } } }])) },
}

export default {
  title: 'Swagger UI',
  package: ['npm', 'swagger-ui-dist'],
  async serve({ module, site }) {
    const asset = (name, type) => [type, () => readFileSync(module(`swagger-ui-dist/${name}`))]
    const answer = Array.from({ length: 40 }, (_, i) => ({ id: i, name: `name ${i}`, tags: ['a', 'b'], owner: { name: 'x', mail: 'x@example.org' } }))
    return site({
      '/': ['text/html', () => '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/swagger-ui.css"><div id="ui"></div><script src="/swagger-ui-bundle.js"></script><script>SwaggerUIBundle({ url: "/spec.json", dom_id: "#ui", deepLinking: true, filter: true })</script>'],
      '/swagger-ui.css': asset('swagger-ui.css', 'text/css'),
      '/swagger-ui-bundle.js': asset('swagger-ui-bundle.js', 'text/javascript'),
      '/spec.json': ['application/json', () => JSON.stringify(spec)],
      '/api/': ['application/json', () => JSON.stringify(answer)],
    })
  },
  ready: '.opblock',
  actions: names.flatMap((tag) => ['get', 'post'].map((method) => [`${method} ${tag}`, async (page) => {
    const op = `[id="operations-${tag}-${tag}-${method === 'get' ? 'list' : 'add'}"]`
    if (!(await page.visible(`${op} .opblock-body`))) await page.click(`${op} .opblock-summary-control`)
    await page.waitFor(`${op} .opblock-body`)
    await page.sleep(400)
    if (await page.visible(`${op} .try-out__btn:not(.cancel)`)) await page.click(`${op} .try-out__btn:not(.cancel)`)
    await page.sleep(400)
    await page.click(`${op} .execute`)
    await page.sleep(1000)
    await page.scroll(300)
    await page.sleep(200)
    await page.click(`${op} .try-out__btn.cancel`)
    await page.sleep(300)
    await page.click(`${op} .opblock-summary-control`)
    await page.sleep(400)
  }])).concat([
    ['filter', async (page) => {
      await page.type('.operation-filter-input', 'ord', 120)
      await page.sleep(600)
      for (let i = 0; i < 3; i++) await page.press('Backspace')
      await page.sleep(400)
    }],
    ['schemas', async (page) => {
      for (const n of [1, 2, 3]) {
        await page.click(`.models .model-container:nth-of-type(${n}) .model-box-control, .models .model-container:nth-of-type(${n}) button, .models button`)
        await page.sleep(300)
      }
    }],
  ]),
}
