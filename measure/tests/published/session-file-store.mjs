// session-file-store: the same as memorystore, with sessions in files.
import files from 'session-file-store'
import { countRequests } from './sessions.mjs'

await countRequests((session) => new (files(session))({ path: 'sessions', logFn() {}, reapInterval: -1 }))
