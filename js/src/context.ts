/**
 * charcoal-js/context: what belongs to an activity, said explicitly: the papers' contexts, and variables with a value
 * for each activity.
 */
export { ActivityContext, newActivityContext, asyncFnX } from './core/context.ts'
export { Local, local } from './core/local.ts'
