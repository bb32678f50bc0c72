/** The source itself: which file needs which, and how long its lines are. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { same, test } from './harness.ts'

const js = path.resolve(process.cwd())
const source = path.join(js, 'src')

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

/** The files that `file` imports from or re-exports, types included. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(source, file), 'utf8')
  const named = [...text.matchAll(/^(?:import|export)\b[^'"]*?['"](\.[^'"]+)['"]/gm)]
  return named.map((m) => path.join(path.dirname(file), m[1]))
}

const graph = new Map(files.map((file) => [file, importsOf(file)]))

/** A way from `file` back to itself, or undefined. */
function circle(file: string, way: string[], known: Set<string>): string[] | undefined {
  if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
  if (known.has(file)) return undefined
  for (const next of graph.get(file) ?? []) {
    const found = circle(next, [...way, file], known)
    if (found !== undefined) return found
  }
  known.add(file)
  return undefined
}

test('every import names a file of the source, and there are many', () => {
  const edges = [...graph].flatMap(([file, imports]) => imports.map((to) => ({ file, to })))
  same(
    edges.filter(({ to }) => !graph.has(to)),
    [],
  )
  same(edges.length > 200, true)
})

test('no file needs itself, neither its code nor its types', () => {
  const known = new Set<string>()
  for (const file of files) same(circle(file, [], known), undefined)
})

test('the core needs no tool of development, no host and no plugin', () => {
  const inner = ['core', 'scope', 'wait', 'sync']
  const outer = ['dev', 'diagnosis', 'eslint', 'node', 'plugin']
  const folder = (file: string): string => file.split(path.sep)[0]
  const wrong = [...graph].flatMap(([file, imports]) =>
    inner.includes(folder(file))
      ? imports.filter((to) => outer.includes(folder(to))).map((to) => `${file} -> ${to}`)
      : [],
  )
  same(wrong, [])
})

test('no line of the source is longer than 120 characters', () => {
  const long = files.flatMap((file) =>
    readFileSync(path.join(source, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (line.length > 120 ? [`${file}:${i + 1}`] : [])),
  )
  same(long, [])
})
