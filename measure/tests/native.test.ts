/**
 * A trace that a C program has written by itself, through the command: places, the ranking, and what its detector
 * found.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Figures } from '../src/analysis/figures.ts'
import { parseTrace } from '../src/format/index.ts'
import { ok, same, test } from './harness.ts'
import { command, temporary } from './places.ts'

const program = `#include <charcoal.h>
static long total;
static __attribute__((noinline)) void add(int n) {
  long before = total;
  ch_sleep(1000);
  total = before + n;
}
int main(void) {
  ch_activity a[4];
  for (int i = 0; i < 4; i++)
    activate [&a[i]] (i) {
      for (int k = 0; k < 20; k++)
        add(i);
    }
  for (int i = 0; i < 4; i++)
    ch_activity_wait(&a[i]);
}
`

test('the trace of a C program has its places, its ranking and what was found in it', () => {
  const cwd = temporary()
  const compiler = path.join(process.env.CHARCOAL_BUILD!, 'bin/charcoal-cc')
  writeFileSync(path.join(cwd, 'program.c'), program)
  // Without slices: on a machine that does much else an activity may be set aside once more, which counts as a wait.
  const options = ['-O1', '-fcharcoal-atomicity', '-fcharcoal-yields=none']
  const compiled = spawnSync(compiler, [...options, 'program.c', '-o', 'program'], { cwd, encoding: 'utf8' })
  same(compiled.status, 0, compiled.stderr)
  const measured = (...args: string[]): SpawnSyncReturns<string> =>
    spawnSync(process.execPath, [command, 'c-program', ...args], { cwd, encoding: 'utf8', timeout: 200_000 })
  const told = measured('--out', 'run.jsonl', '--json=figures.json', './program', '--json')
  same(told.status, 0, told.stderr)
  ok(/--json stands after the program/.test(told.stderr), told.stderr)
  parseTrace(readFileSync(path.join(cwd, 'run.jsonl')))
  const again = measured('--baseline', 'run.jsonl', './program')
  ok(again.status === 0 && /0 new conflicts/.test(again.stderr), again.stderr)
  const plain = measured('true')
  ok(plain.status === 1 && /true wrote no trace: compile it with charcoal-cc/.test(plain.stderr), plain.stderr)
  ok(
    /1\. add\(\) read total, waited and wrote it, though another add\(\) had written it/.test(
      told.stdout.replace(/\s+/g, ' '),
    ),
    told.stdout,
  )
  ok(
    /reads +add \S+\/program.c:4\n.*waits +add \S+:5\n.*another add \S+:6\n.*then +add \S+:6/.test(told.stdout),
    told.stdout,
  )
  ok(
    /A lock held there would take [\d.]+ [mµ]?s, at worst [\d.]+ [mµ]?s, of which it would compute [\d.]+ [mµ]?s/.test(
      told.stdout.replace(/\s+/g, ' '),
    ),
    told.stdout,
  )
  ok(/hold a lock(?: with care)?: /.test(told.stdout) && !/wrap/.test(told.stdout), 'nothing can wait inside atomic')
  const figures = JSON.parse(readFileSync(path.join(cwd, 'figures.json'), 'utf8')) as Figures
  same(figures.title, './program --json')
  ok(/^file:\/\/\S+\/program\.c$/.test(figures.sites.find((s) => s.line === 5)?.url ?? ''), 'its source can be opened')
  const [found] = figures.atomic.unserialisable
  same(found?.kind, 'lost update')
  same(
    found!.sites.map((s) => figures.sites[s]!.line),
    [4, 6, 6],
  )
  const waits = figures.waits!.map((w) => ({ ...w, name: figures.sites[w.site]!.function }))
  const add = waits.find((w) => w.name === 'add')!
  same(add.waits, 80, 'each call waits once')
  ok(add.self === add.total && add.total >= 80, 'and nothing that it calls waits in its place')
  const body = waits.find((w) => w.waits === 80 && w.name !== 'add')!
  ok(body.self === 0 && body.total === add.total, `the activity's body waits below add: ${JSON.stringify(waits)}`)
  // main is before it if this process stood still meanwhile.
  ok(/Functions in which activities waited\n.*\n(?:.* main .*\n)?.* 80 +add /.test(told.stdout), told.stdout)
  const chain = figures.ranking.chains.find((c) => c.sites.every((s) => [5, 13].includes(figures.sites[s]!.line!)))
  ok(chain !== undefined && chain.interrupted > 0, 'the runs after the wait are a chain that others interrupt')
})

/** The report of a program that is compiled with these options. */
function reportOn(text: string, ...options: string[]): string {
  const cwd = temporary()
  const compiler = path.join(process.env.CHARCOAL_BUILD!, 'bin/charcoal-cc')
  writeFileSync(path.join(cwd, 'program.c'), text)
  const compiled = spawnSync(compiler, ['-O1', ...options, 'program.c', '-o', 'program'], { cwd, encoding: 'utf8' })
  same(compiled.status, 0, compiled.stderr)
  const told = spawnSync(process.execPath, [command, 'c-program', './program'], { cwd, encoding: 'utf8' })
  same(told.status, 0, told.stderr)
  return told.stdout.replace(/\s+/g, ' ')
}

const innocent = `#include <charcoal.h>
static __attribute__((noinline)) long work(long n) {
  for (int k = 0; k < 5; k++) {
    ch_sleep(1000);
    n += k;
  }
  return n;
}
int main(void) {
  ch_activity a[3];
  static long got[3];
  for (int i = 0; i < 3; i++)
    activate [&a[i]] (i) {
      for (int k = 0; k < 20; k++)
        got[i] += work(i);
    }
  for (int i = 0; i < 3; i++)
    ch_activity_wait(&a[i]);
}
`

test('a C function that is entered while it waits is no conflict if its reads and writes were watched', () => {
  const watched = reportOn(innocent, '-fcharcoal-atomicity')
  ok(/No conflict was seen: functions were entered while they waited/.test(watched), watched)
  const unwatched = reportOn(innocent, '-g')
  ok(/1\. work\(\) waits, and another work\(\) runs in between/.test(unwatched), unwatched)
})

test('a report on a C program says what was not looked for: reads and writes, and other threads', () => {
  const threads = `#include <pthread.h>
#include <unistd.h>
static void *nap(void *p) { usleep(1000); return p; }
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, nap, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
`
  const watched = reportOn(threads, '-fcharcoal-atomicity')
  ok(
    /No conflict was seen between activities of one thread\. Between threads, -fsanitize=thread/.test(watched),
    watched,
  )
  const unwatched = reportOn(threads)
  ok(/No conflict was seen, but reads and writes were not watched: compile/.test(unwatched), unwatched)
})

test('where a C operation waited is known, also where it reads in one function and writes in another', () => {
  const told = reportOn(
    `#include <charcoal.h>
static long total;
static __attribute__((noinline)) long get(void) { return total; }
static __attribute__((noinline)) void put(long n) { total = n; }
static void pause(void) {
  ch_sleep(1000);
}
static __attribute__((noinline)) void add(int n) {
  long before = get();
  pause();
  put(before + n);
}
int main(void) {
  ch_activity a[3];
  for (int i = 0; i < 3; i++)
    activate [&a[i]] (i) {
      for (int k = 0; k < 10; k++)
        add(i);
    }
  for (int i = 0; i < 3; i++)
    ch_activity_wait(&a[i]);
}
`,
    '-g',
    '-fcharcoal-atomicity',
  )
  ok(/reads get \S+\/program\.c:3 waits (pause \S+:6|add \S+:10) /.test(told), told)
})
