// prisma-session-store looks whether a session is being saved, waits, and then says that it is: two save at once.
import prisma from '@quixo3/prisma-session-store'
import { sleep } from './crowd.mjs'

const rows = new Map()
const session = {
  findUnique: async ({ where }) => (await sleep(2), rows.get(where.sid) ?? null),
  create: async ({ data }) => (await sleep(2), rows.set(data.sid, data), data),
  update: async ({ data }) => (await sleep(2), rows.set('s', { ...rows.get('s'), ...data }), data),
}
const client = { session, $connect: () => sleep(1), $disconnect() {}, $on() {} }
const store = new prisma.PrismaSessionStore(client, { checkPeriod: 0, logger: false })
await Promise.allSettled([1, 2, 3].map((n) => store.set('s', { cookie: {}, n })))
process.exit()
