/**
 * Variables that a module exports and assigns to: they change in the files that import them, too. Both sides name the
 * module by its address, without what a loader may add to it or leave out. A module that hands on what another exports
 * says from where it is, so that a reader finds the variable itself.
 *
 *     // counter.mjs                             // main.mjs
 *     export let count = 0                       import { count } from './counter.mjs'
 *     $ch.exports(1,"file:///counter",           ($ch.im("file:///counter","count",4),count)
 *       {"own":{"count":"count"}, …})            import * as counter from './counter.mjs'
 *                                                $ch.ns(counter,"file:///counter")
 */
import { withoutQuery } from '../../format/address.ts'
import type { Node } from '../../source/tree.ts'

/** What a module exports, by the names that others import it by. */
export interface Exports {
  /** The module's own variables: their names in it. */
  own: Record<string, string>
  /** What other modules export. */
  from: Record<string, Imported>
  /** The modules of which it hands on all (`export * from …`). */
  all: string[]
}

export interface Imported {
  module: string
  /** As the module exports it; `*`: all of it, as an object. */
  name: string
}

export const WHOLE_MODULE = '*'

/** The module's name on both sides; null: it is named in a way that only the loader understands. */
export function moduleName(address: string, base?: string): string | null {
  if (base !== undefined && !/^(\.{0,2}\/|file:|https?:)/.test(address)) return null
  try {
    return withoutQuery(new URL(address, base).href).replace(/\.[cm]?[jt]sx?$/, '')
  } catch {
    return null
  }
}

/** Of the module at `url`, with these variables and imports; null: nothing that could change. */
export function exportsOf(
  program: Node,
  url: string,
  variables: ReadonlyMap<string, boolean>,
  imports: ReadonlyMap<string, Imported>,
): Exports | null {
  const found: Exports = { own: {}, from: {}, all: [] }
  for (const { type, source, specifiers, declaration, exported } of program.body) {
    const module = source ? moduleName(source.value, url) : null
    if (type === 'ExportAllDeclaration' && module !== null) {
      if (exported === null) found.all.push(module)
      else found.from[nameOf(exported)] = { module, name: WHOLE_MODULE }
    }
    if (type !== 'ExportNamedDeclaration') continue
    for (const { id } of declaration?.declarations ?? []) if (variables.has(id.name)) found.own[id.name] = id.name
    for (const { local, exported } of specifiers) {
      const imported = source === null ? imports.get(nameOf(local)) : module !== null && { module, name: nameOf(local) }
      if (imported) found.from[nameOf(exported)] = imported
      else if (source === null && variables.has(local.name)) found.own[nameOf(exported)] = local.name
    }
  }
  const isEmpty = [found.own, found.from, found.all].every((part) => Object.keys(part).length === 0)
  return isEmpty ? null : found
}

/** What a module at `url` imports, by the names that it has in it. */
export function importsOf(program: Node, url: string): Map<string, Imported> {
  const found = new Map<string, Imported>()
  for (const { type, source, specifiers } of program.body) {
    const module = type === 'ImportDeclaration' ? moduleName(source.value, url) : null
    if (module === null) continue
    for (const { type: kind, local, imported } of specifiers) {
      const name =
        kind === 'ImportSpecifier' ? nameOf(imported) : kind === 'ImportDefaultSpecifier' ? 'default' : WHOLE_MODULE
      found.set(local.name, { module, name })
    }
  }
  return found
}

/** Names in the lists of imports and exports can be texts. */
const nameOf = ({ name, value }: Node): string => name ?? value
