/**
 * Which object a proxy stands for. Libraries make several of one object: Vue one for each way of reading it, Pinia one
 * for each call of a store's action. What the program reads and writes through them is the object's.
 */
import { isKeyed } from './collections.ts'

let targets: WeakMap<object, object> | null = null

/** From now on it is noted what `realm.Proxy` makes proxies of. */
export function noteProxies(realm: { Proxy: ProxyConstructor }): void {
  const native = realm.Proxy
  const known = (targets ??= new WeakMap())
  const value = new native(native, {
    construct(_, given) {
      const made = construct(native, given)
      known.set(made, given[0])
      return made
    },
  })
  defineProperty(realm, 'Proxy', { value, writable: true, configurable: true, enumerable: false })
}

/**
 * The object whose property it is, if it is one behind a proxy. A proxy can also answer for properties that its target
 * has not, and these are its own. `key`: null: all that the object holds.
 */
export function behindProxy(object: object, key: PropertyKey | null): object {
  let target = targets?.get(object)
  if (target === undefined) return object
  for (let next = targets!.get(target); next !== undefined; next = targets!.get(target)) target = next
  return key === null || isArray(target) || isKeyed(target) || hasOwn(target, key) ? target : object
}

const { construct } = Reflect
const { isArray } = Array
const { defineProperty, hasOwn } = Object
