// An interface of twelve operations as OpenAPI, for the applications that work on one.
const names = ['pets', 'orders', 'users']
const json = (tag) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${tag}` } } })
const operation = (tag, summary, more = {}) => ({
  tags: [tag],
  summary,
  operationId: `${tag}-${summary}`,
  responses: { 200: { description: 'done', content: json(tag) } },
  ...more,
})
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 7 }
const limit = { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } }
const body = (tag) => ({ requestBody: { content: json(tag) } })
const schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    owner: { type: 'object', properties: { name: { type: 'string' }, mail: { type: 'string' } } },
  },
}

export const spec = {
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1', description: '# A shop\nwith **pets**, orders and users.' },
  servers: [{ url: '/api' }],
  tags: names.map((name) => ({ name })),
  paths: Object.assign(
    {},
    ...names.map((tag) => ({
      [`/${tag}`]: { get: operation(tag, 'list', { parameters: [limit] }), post: operation(tag, 'add', body(tag)) },
      [`/${tag}/{id}`]: {
        get: operation(tag, 'read', { parameters: [id] }),
        put: operation(tag, 'change', { parameters: [id], ...body(tag) }),
      },
    })),
  ),
  components: { schemas: Object.fromEntries(names.map((tag) => [tag, schema])) },
}

/** What every operation answers. */
export const answer = Array.from({ length: 40 }, (_, i) => ({
  id: i,
  name: `name ${i}`,
  tags: ['a', 'b'],
  owner: { name: 'x', mail: 'x@example.org' },
}))
