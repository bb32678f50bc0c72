/**
 * A test of a build can ask here whether all that should have been transformed is transformed (see untransformed.ts).
 */
import { isUntransformed, untransformedMessage } from './untransformed.ts'

const SOURCE = Function.prototype.toString

/** Names of the functions in `value` whose text has an atomic block that is not transformed. */
function untransformed(value: unknown, name: string, seen: Set<unknown>): string[] {
  if ((typeof value !== 'function' && typeof value !== 'object') || value === null || seen.has(value)) return []
  seen.add(value)
  if (typeof value === 'function') {
    const text = SOURCE.call(value)
    if (isUntransformed(text)) return [value.name || name]
    return untransformed(value.prototype, name, seen)
  }
  return Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(([key, { value: v }]) =>
    untransformed(v, `${name}.${key}`, seen),
  )
}

/**
 * Throws if a module, class or function has an `atomic: { … }` block that was not transformed, because the plugin or
 * the loader is missing or leaves the file out: the code runs, without the guarantee. For a test of each build, with
 * the modules that have such blocks. What is exported is looked at, not what is hidden in it.
 *
 * @example
 * const store = { async save() { atomic: { await null } } }
 * try { assertTransformed(store, 'store.js') } catch (error) { console.log((error as Error).message.slice(0, 44)) }
 * // → store.js: save has an atomic block that is n
 */
export function assertTransformed(module: object, name = 'the module'): void {
  const found = untransformed(
    { ...module, default: (module as { default?: unknown }).default ?? module },
    name,
    new Set(),
  )
  if (found.length === 0) return
  const names = [...new Set(found)].join(', ')
  throw new Error(`${name}: ${untransformedMessage(names, found.length > 1)}`)
}
