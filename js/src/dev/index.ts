/** charcoal-js/dev: for tests and development. */
export { explore, ExploreError, random, type ExploreOptions, type Explored } from './explore.ts'
export { simulate, SimulatedHost, StuckError, type SimulateOptions, type Decide } from './simulate.ts'
export { record, Recorder, type Continuation, type Tracer } from './trace.ts'
export { activities, describeActivities, type BranchReport } from './report.ts'
export { check } from './check.ts'
export { assertYields, assertNoYield } from './assert.ts'
export { develop, type Foreign } from '../legacy/detect.ts'
export { enforce, type Enforcement } from '../legacy/enforce.ts'
