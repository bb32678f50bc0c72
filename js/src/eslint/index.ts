/**
 * charcoal-js/eslint: rules for programs that use activities. `recommended` comes after other presets, because it
 * switches off rules that would take an `atomic:` label for a mistake.
 *
 * @example
 * // eslint.config.js
 * import js from '@eslint/js'
 * import charcoal from 'charcoal-js/eslint'
 * export default [js.configs.recommended, charcoal.configs.recommended]
 */
import { interrupted } from './interrupted.ts'
import { labels } from './labels.ts'
import { unwaited } from './unwaited.ts'

interface Plugin {
  meta: { name: string; version: string }
  rules: Record<string, { meta: object; create(context: any): object }>
  configs: Record<'recommended', { plugins: Record<string, any>; rules: Record<string, 'off' | 'error'> }>
}

const plugin: Plugin = {
  meta: { name: 'charcoal-js', version: '0.1.0' },
  rules: { 'no-interrupted-update': interrupted, 'no-unused-labels': labels, 'no-unwaited-operation': unwaited },
  configs: {} as Plugin['configs'],
}

plugin.configs.recommended = {
  plugins: { charcoal: plugin },
  rules: {
    'charcoal/no-interrupted-update': 'error',
    'charcoal/no-unused-labels': 'error',
    'charcoal/no-unwaited-operation': 'error',
    'no-labels': 'off',
    'no-lone-blocks': 'off',
    'no-unused-labels': 'off',
  },
}

export default plugin
