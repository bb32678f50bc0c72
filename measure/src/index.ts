/** charcoal-measure as a library. */
export * from './format/index.ts'
export { recordNode, type RecordNodeOptions } from './record/node/index.ts'
export type { Recorded } from './record/recorded.ts'
