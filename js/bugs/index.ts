/** These are the published bugs, each reduced to a program of its own; bug.ts says what such a program is. */
export { sessionLostUpdate } from './session-lost-update.ts'
export { jsonFileLostVote } from './json-file-lost-vote.ts'
export { upsertDuplicates } from './upsert-duplicates.ts'
export { tokenRefreshedTwice } from './token-refreshed-twice.ts'
export { poolTooBig } from './pool-too-big.ts'
export { mkdirRace } from './mkdir-race.ts'
export { cacheStampede } from './cache-stampede.ts'
