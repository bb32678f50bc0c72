// memorystore under express-session: requests at the same time each load the session, and the last one to save wins.
import memory from 'memorystore'
import { countRequests } from './sessions.mjs'

await countRequests((session) => new (memory(session))({ checkPeriod: 1e8 }))
process.exit()
