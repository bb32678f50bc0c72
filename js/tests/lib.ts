/** All entry points of the package in one, for the tests. */
export * from '../src/index.ts'
export * from '../src/events.ts'
export * from '../src/context.ts'
export { activities, describeActivities } from '../src/dev/report.ts'
