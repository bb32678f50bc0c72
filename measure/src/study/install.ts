/**
 * Installs the applications of `corpus/manifest.json`, in the versions that stand there, into a folder that later runs
 * find again.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { MeasureError } from '../format/error.ts'

export interface Manifest {
  npm: Record<string, string>
  pip: Record<string, string>
}

export interface Installed {
  /** Folder whose node_modules holds the npm packages. */
  apps: string
  /** A file of an installed npm package: `module('node-red/red.js')`. */
  module(file: string): string
  /** A program of the Python environment: `python('marimo')`. */
  python(program: string): string
}

/**
 * `corpus` has, beside the manifest, the versions of everything that the packages need in turn: `package-lock.json` and
 * `constraints.txt`.
 */
export function install(
  manifest: Manifest,
  corpus: string,
  cache: string,
  progress: (text: string) => void,
): Installed {
  const apps = path.join(cache, 'npm')
  const venv = path.join(cache, 'python')
  const bin = path.join(venv, process.platform === 'win32' ? 'Scripts' : 'bin')
  const lock = path.join(corpus, 'package-lock.json')
  const constraints = path.join(corpus, 'constraints.txt')
  once(path.join(cache, 'npm.json'), [manifest.npm, readFileSync(lock, 'utf8')], () => {
    progress(`installing ${Object.keys(manifest.npm).length} npm packages into ${apps}`)
    mkdirSync(apps, { recursive: true })
    writeFileSync(
      path.join(apps, 'package.json'),
      JSON.stringify({ private: true, dependencies: manifest.npm }, null, 2),
    )
    copyFileSync(lock, path.join(apps, 'package-lock.json'))
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--legacy-peer-deps'], apps)
  })
  once(path.join(cache, 'pip.json'), [manifest.pip, readFileSync(constraints, 'utf8')], () => {
    progress(`installing ${Object.keys(manifest.pip).length} Python packages into ${venv}`)
    if (!existsSync(venv)) run('python3', ['-m', 'venv', venv], cache)
    run(
      path.join(bin, 'pip'),
      ['install', '--quiet', '--constraint', constraints].concat(
        Object.entries(manifest.pip).map(([name, version]) => `${name}==${version}`),
      ),
      cache,
    )
  })
  return { apps, module: (file) => path.join(apps, 'node_modules', file), python: (program) => path.join(bin, program) }
}

/** Does `work` unless it was done for the same thing before. */
function once(stamp: string, what: unknown, work: () => void): void {
  const text = JSON.stringify(what)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === text) return
  mkdirSync(path.dirname(stamp), { recursive: true })
  work()
  writeFileSync(stamp, text)
}

function run(command: string, args: string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0)
    throw new MeasureError(
      `${command} ${args[0]} failed in ${cwd}: ${error?.message ?? stderr.trim().split('\n').slice(-5).join('; ')}`,
      4,
    )
}
