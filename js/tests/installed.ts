/** The package as it is installed: packed, and put into an empty project, once for all tests. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { tmpdir } from 'node:os'
import { ok } from './harness.ts'

const js = process.cwd()
export const work = path.join(process.env.CHARCOAL_BUILD ?? tmpdir(), 'js/package-test')
export const project = path.join(work, 'project')
export const run = (command: string, args: string[], cwd = project): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
let isInstalled = false

/** Makes packages of this checkout, or whole scopes of them, known to the project. */
export function link(names: string[]): void {
  for (const name of names) {
    run('mkdir', ['-p', path.dirname(path.join(project, 'node_modules', name))])
    run('ln', ['-sfn', path.join(js, 'node_modules', name), path.join(project, 'node_modules', name)])
  }
}

/** What the loader and the plugin need, as a project has it that uses them. */
export function linkTools(): void {
  link(['@babel', 'magic-string', '@jridgewell'])
}

/** Packs the package and installs it into an empty project, once. */
export function install(): void {
  if (isInstalled) return
  isInstalled = true
  rmSync(work, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  run(process.execPath, [path.join(js, 'scripts/build.mjs')], js)
  const packed = JSON.parse(
    run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', work, '--loglevel=error'], js),
  )
  const [{ filename, files }] = Array.isArray(packed) ? packed : (Object.values(packed) as any[])
  ok(
    files.every(({ path }: { path: string }) =>
      /^(dist|docs|presets|src)\/|^README\.md$|^package\.json$|^LICENSE$/.test(path),
    ),
    'only what is meant to be published is packed',
  )
  writeFileSync(path.join(project, 'package.json'), '{"name":"p","version":"1.0.0","private":true}')
  run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--offline',
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--loglevel=error',
    path.join(work, filename),
  ])
}
