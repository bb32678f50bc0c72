/** charcoal-js/react: activities in React components. Needs React 18 or later. */
import './core/domain.ts'
export { useActivity, useHandler, type ActivityState } from './react/useActivity.ts'
