/**
 * Variables that a module exports and assigns to: they change in the files that import them, too. Both sides name the
 * module by its address, without what a loader may add to it or leave out.
 *
 *     // counter.mjs                                     // main.mjs
 *     export let count = 0                               import { count } from './counter.mjs'
 *     $ch.exports(1,"file:///counter",{"count":"count"}) ($ch.im("file:///counter","count",4),count)
 */
import { withoutQuery } from '../../format/address.ts'
import type { Node } from '../../source/tree.ts'

export interface Imported {
  module: string
  /** As the module exports it. */
  name: string
}

/** The module's name on both sides; null: it is named in a way that only the loader understands. */
export function moduleName(address: string, base?: string): string | null {
  if (base !== undefined && !/^(\.{0,2}\/|file:|https?:)/.test(address)) return null
  try {
    return withoutQuery(new URL(address, base).href).replace(/\.[cm]?[jt]sx?$/, '')
  } catch {
    return null
  }
}

/** From the exported names of the module's `variables` to their own. */
export function exportsOf(program: Node, variables: ReadonlyMap<string, boolean>): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { type, source, specifiers, declaration } of program.body) {
    if (type !== 'ExportNamedDeclaration' || source !== null) continue
    for (const { id } of declaration?.declarations ?? []) if (variables.has(id.name)) found[id.name] = id.name
    for (const { local, exported } of specifiers)
      if (variables.has(local.name)) found[exported.name ?? exported.value] = local.name
  }
  return found
}

/** What a module at `url` imports by name, by the names that it has in it. */
export function importsOf(program: Node, url: string): Map<string, Imported> {
  const found = new Map<string, Imported>()
  for (const { type, source, specifiers } of program.body) {
    const module = type === 'ImportDeclaration' ? moduleName(source.value, url) : null
    if (module === null) continue
    for (const { type: kind, local, imported } of specifiers)
      if (kind === 'ImportSpecifier') found.set(local.name, { module, name: imported.name ?? imported.value })
  }
  return found
}
