/** charcoal-measure as a library. */
export * from './format/index.ts'
export { recordNode, type RecordNodeOptions } from './record/node/index.ts'
export type { Recorded } from './record/recorded.ts'
export { recordWeb, type RecordWebOptions, type Steps } from './record/web/index.ts'
export { findBrowser, startBrowser } from './record/web/browser.ts'
export { Page, type StepsContext } from './record/web/steps.ts'
export { convertTrace, type ConvertOptions } from './record/chrome/index.ts'
export { exportPerfetto } from './record/perfetto.ts'
