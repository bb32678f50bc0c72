// keyv: an entry that was found expired is deleted, although it has been set anew meanwhile.
import Keyv from 'keyv'
import { sleep } from './crowd.mjs'

const keyv = new Keyv({ store: new Map() })
await keyv.set('k', 'old', 1)
await sleep(5)
await Promise.all([keyv.get('k'), keyv.set('k', 'new', 1000)])
if ((await keyv.get('k')) !== undefined) throw new Error('the race did not happen')
