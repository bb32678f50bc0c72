/** A block that waits for a promise when Node has nothing left to do fails at once, and says what it holds back. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { ok, test } from './harness.ts'
import { install, project, run } from './installed.ts'
import { HOSTS } from './shapes.mjs'

test('a block that holds back what its promise needs ends with an error before the process does', () => {
  install()
  const program = `
    import * as library from 'charcoal-js'
    import { describeActivities } from 'charcoal-js/dev'
    import { HOSTS } from ${JSON.stringify(path.resolve('tests/shapes.mjs'))}
    const { asyncFn, atomic, sleep, spawn, wait } = library
    const load = asyncFn(function* load(n) { yield* sleep(1); return n })
    for (const [name, make] of Object.entries(HOSTS)) {
      const block = spawn(() => atomic(() => wait(make(library, { load, quick: load }))), { name: 'main' })
      const told = await block.then(() => 'ran', (error) => String(error))
      console.log(name + ': ' + told.replaceAll('\\n', ' '))
    }
    while (describeActivities().includes('load')) await sleep(1) // what was held back ends
    const never = spawn(() => atomic(() => wait(new Promise(() => {}))), { name: 'main' })
    console.log('never: ' + await never.catch(String))`
  const file = path.join(project, 'exit.mjs')
  writeFileSync(file, program)
  const lines = run(process.execPath, [file]).trim().split('\n')
  const stuck = 'DeadlockError: deadlock in an atomic block: main waits for a promise, which nothing is left to settle'
  for (const name of Object.keys(HOSTS)) {
    const line = lines.find((l) => l.startsWith(`${name}: `)) ?? ''
    ok(line.startsWith(`${name}: ${stuck}, and the block holds back   load, made `), lines.join('\n'))
    ok(/shapes\.mjs:\d+:\d+\)? Remedy: /.test(line), line)
  }
  ok(lines.at(-1) === `never: ${stuck}.`, lines.at(-1))
})

test('a module whose await never ends says which activities wait, and a reader alone is left in silence', () => {
  install()
  const program = (end: string): string => `
    import { channel, spawn } from 'charcoal-js'
    const jobs = channel(0, 'jobs')
    const reader = spawn(function* () { yield* jobs.recv() }, { name: 'reader' })
    ${end}`
  const ends = (end: string): { status: number | null; stderr: string } => {
    const file = path.join(project, 'ends.mjs')
    writeFileSync(file, program(end))
    return spawnSync(process.execPath, [file], { encoding: 'utf8' })
  }
  const stuck = ends('await reader')
  ok(stuck.status === 13, `it ended with ${stuck.status}`)
  const told = /^charcoal: nothing is left to do, and these wait for ever:\nreader \[1\] blocked on recv\(jobs\): /m
  ok(told.test(stuck.stderr), stuck.stderr)
  const left = ends('')
  ok(left.status === 0 && left.stderr === '', `it ended with ${left.status}: ${left.stderr}`)
})

test('of many copies in one process one tells what waits for ever, and Node warns of no listeners', () => {
  install()
  const file = path.join(project, 'copies.cjs')
  writeFileSync(
    file,
    `const copies = Array.from({ length: 12 }, () => {
      for (const name of Object.keys(require.cache)) delete require.cache[name]
      return require(require.resolve('charcoal-js').replace(/index\\.\\w+$/, 'index.cjs'))
    })
    const { channel, spawn } = copies[5]
    const jobs = channel(0, 'jobs')
    const stuck = spawn(function* () { yield* jobs.recv() }, { name: 'reader' })
    console.log(new Set(copies).size)
    process.exitCode = 13`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  ok(stdout.trim() === '12', stdout + stderr)
  ok(stderr.match(/^charcoal: nothing is left/gm)?.length === 1 && !stderr.includes('MaxListeners'), stderr)
})
