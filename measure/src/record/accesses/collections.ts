/** Which objects are the language's collections. */

/** The program's, which may be others than this file's: in Node it runs in a realm of its own. */
const { Map: ItsMap, Set: ItsSet, WeakMap: ItsWeakMap, WeakSet: ItsWeakSet } = globalThis

/** How a host knows those of other realms. */
export interface Brands {
  isMap(object: unknown): boolean
  isSet(object: unknown): boolean
  isWeakMap(object: unknown): boolean
  isWeakSet(object: unknown): boolean
}

let brands: Brands | null = null

/** From now on the program has other realms, in which rewritten code runs. */
export function knowRealms(by: Brands): void {
  brands = by
}

const isMap = (object: unknown): boolean => object instanceof ItsMap || (brands?.isMap(object) ?? false)

const isSet = (object: unknown): boolean => object instanceof ItsSet || (brands?.isSet(object) ?? false)

/** It has a size. */
export const isCollection = (object: unknown): object is object => isMap(object) || isSet(object)

/** What pages keep texts in; other hosts have none. */
const { Storage: ItsStorage } = globalThis

/** It has entries, which are known by keys. */
export const isKeyed = (object: unknown): object is object =>
  isCollection(object) ||
  (ItsStorage !== undefined && object instanceof ItsStorage) ||
  object instanceof ItsWeakMap ||
  object instanceof ItsWeakSet ||
  (brands !== null && (brands.isWeakMap(object) || brands.isWeakSet(object)))

const { has: hasKey } = ItsMap.prototype
const { has: hasValue } = ItsSet.prototype

export const has = (object: object, key: unknown): boolean | undefined =>
  ask(object, isMap(object) ? hasKey : hasValue, [key])

/** The program may have made another `size` of it, whose code is not to run twice. */
const sizeIn = ({ prototype }: { prototype: object }): (() => number) =>
  Reflect.getOwnPropertyDescriptor(prototype, 'size')!.get!
const [mapSize, setSize] = [sizeIn(ItsMap), sizeIn(ItsSet)]

export const sizeOf = (object: object): number | undefined => ask(object, isMap(object) ? mapSize : setSize, [])

/** Undefined: it only looks like one, as a proxy does whose target is not known. */
function ask<A extends unknown[], T>(object: object, method: (...given: A) => T, given: A): T | undefined {
  try {
    return Reflect.apply(method, object, given)
  } catch {
    return undefined
  }
}
