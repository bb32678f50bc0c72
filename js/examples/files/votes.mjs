// A lost update, and the block that prevents it. Run it: node votes.mjs
import { asyncFn, atomic, sleep, spawn } from 'charcoal-js'

let votes = 0
const vote = asyncFn(function* () {
  const before = votes
  yield* sleep(1) // a database, a file, a server
  votes = before + 1
})

const a = spawn(vote())
const b = spawn(vote())
await a
await b
console.log(`without atomic: ${votes} of 2 votes counted`) // → without atomic: 1 of 2 votes counted

votes = 0
const c = spawn(atomic(vote()))
const d = spawn(atomic(vote()))
await c
await d
console.log(`with atomic: ${votes} of 2 votes counted`) // → with atomic: 2 of 2 votes counted
