/** The tests import all entry points of the package from here. */
import '../src/diagnosis/index.ts'
export * from '../src/index.ts'
export * from '../src/events.ts'
export * from '../src/context.ts'
export { useDomain } from '../src/core/current.ts'
export { Domain } from '../src/core/domain.ts'
export { ClauseList, count } from '../src/wait/list.ts'
export { activities, describeActivities } from '../src/dev/report.ts'
