/** Functions of the host that are replaced for a time. */

export interface Patched {
  readonly object: any
  readonly name: string
  readonly original: PropertyDescriptor
  readonly replaced: unknown
}

/** Replaces a method, if the host has it. */
export function patch(object: any, name: string, make: (original: any) => unknown): Patched[] {
  const original = object === undefined ? undefined : Object.getOwnPropertyDescriptor(object, name)
  // Deno has getters for its timers.
  const held: unknown = original?.value ?? original?.get?.call(object)
  if (original === undefined || typeof held !== 'function') return []
  const replaced = make(held)
  const { enumerable } = original
  Object.defineProperty(object, name, { value: replaced, writable: true, configurable: true, enumerable })
  return [{ object, name, original, replaced }]
}

/** Puts the host's functions back, but not where somebody else has put one of theirs, which calls ours. */
export function restore(patches: readonly Patched[]): void {
  for (const { object, name, original, replaced } of patches)
    if (object[name] === replaced) Object.defineProperty(object, name, original)
}
