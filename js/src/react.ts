/** charcoal-js/react: activities in React components. Needs React 18 or later. */
export { useActivity, useHandler, type ActivityState } from './react/useActivity.ts'
