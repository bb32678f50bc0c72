/** The types of shapes.mjs. */
import type * as lib from './lib.ts'

type Load = (n: number) => lib.Call<number>
type Shape = (library: typeof lib, calls: { load: Load; quick: Load }) => PromiseLike<unknown>
export const OURS: Record<string, Shape>
export const HOSTS: Record<string, Shape>
