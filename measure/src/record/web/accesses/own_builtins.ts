/**
 * Stand in for the language's own in what runs in a page, where the build puts them: a page may replace
 * `Map.prototype.get`, `JSON` or `Reflect` later. Of arrays only elements and lengths are used, because the literals'
 * methods are the page's.
 */
const { Array: Lists, Map: Maps, Math: math, Reflect: reflect, Set: Sets, WeakMap: WeakMaps, String: text } = globalThis
const { apply, construct, getOwnPropertyDescriptor, ownKeys } = reflect
const { defineProperty, setPrototypeOf, hasOwn } = globalThis.Object

/** The same class, with methods of its own. */
function own<C extends new (...args: any[]) => object>(Class: C): C {
  const Own = class extends Class {}
  for (const key of ownKeys(Class.prototype))
    if (key !== 'constructor') defineProperty(Own.prototype, key, getOwnPropertyDescriptor(Class.prototype, key)!)
  setPrototypeOf(Own.prototype, null)
  return Own
}

const OwnMap = own(Maps)
const OwnSet = own(Sets)
const OwnWeakMap = own(WeakMaps)
const { isArray } = Lists
const OwnArray = { isArray }
const { max, min, round, floor, random } = math
const OwnMath = { max, min, round, floor, random }
const OwnReflect = { apply, construct, getOwnPropertyDescriptor, ownKeys }
const OwnObject = { defineProperty, hasOwn, setPrototypeOf }

export {
  OwnArray as Array,
  OwnMap as Map,
  OwnMath as Math,
  OwnObject as Object,
  OwnReflect as Reflect,
  OwnSet as Set,
  text as String,
  OwnWeakMap as WeakMap,
}
