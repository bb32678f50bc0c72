/** The applications of the study, as the files in `corpus/` describe them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MeasureError } from '../format/error.ts'
import type { Installed, Manifest } from './install.ts'
import type { Services } from './serve.ts'
import type { Session } from './session.ts'

export type Kind = 'web' | 'server'

interface Described {
  title: string
  package: ['npm' | 'pip', string]
}

export interface WebApp extends Described, Session {
  serve(context: Context): Promise<{ url: string }>
}

export interface ServerApp extends Described {
  /** What starts it; `ready`: a path below its address that answers when it is up. */
  command(context: Context): { program: string; args: string[]; cwd?: string; ready: string }
  /** Uses it until `until()` is true. */
  load(url: string, until: () => boolean, context: Context): Promise<{ done: number; failed: number }>
}

/** What an application is started with: a folder and a port of its own. */
export interface Context extends Installed {
  dir: string
  port: number
  start: Services['start']
  run: Services['run']
  site: Services['site']
  esbuild: any
}

export interface Application {
  name: string
  kind: Kind
  /** The version of its package in the manifest. */
  version: string
  app: WebApp | ServerApp
}

const FOLDERS: [Kind, string][] = [
  ['web', 'web'],
  ['server', 'servers'],
]

export const manifestOf = (corpus: string): Manifest =>
  JSON.parse(readFileSync(path.join(corpus, 'manifest.json'), 'utf8'))

/** All applications of the folder, web applications first, each kind by name. */
export async function applications(corpus: string): Promise<Application[]> {
  const manifest = manifestOf(corpus)
  const all: Application[] = []
  for (const [kind, folder] of FOLDERS)
    for (const file of readdirSync(path.join(corpus, folder)).sort()) {
      const app = (await import(pathToFileURL(path.join(corpus, folder, file)).href)).default as WebApp | ServerApp
      const [registry, name] = app.package
      all.push({ name: path.basename(file, '.mjs'), kind, version: manifest[registry][name] ?? '', app })
    }
  return all
}

/** Where the corpus lies: beside the sources, or beside the built command. */
export function corpusFolder(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const found = [
    path.join(here, '../corpus'),
    path.join(here, '../../corpus'),
    path.join(process.env.CHARCOAL_MEASURE ?? here, 'corpus'),
  ].find((place) => existsSync(path.join(place, 'manifest.json')))
  if (found === undefined) throw new MeasureError('the corpus folder is missing from this installation', 2)
  return found
}
