/** The trace format: `FORMAT.md` in code. */
export * from './types.ts'
export { MeasureError, TraceError } from './error.ts'
export { Checker, Violation, MAX_LINE } from './check.ts'
export { readTrace, parseTrace, looksLikeTrace, type ReadOptions } from './read.ts'
export { TraceWriter } from './write.ts'
