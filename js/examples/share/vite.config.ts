/** Two builds of the same source: with atomic blocks, and, as `--mode plain`, with the labels taken out. */
import { defineConfig } from 'vite'
import path from 'node:path'
import { vite as charcoal } from '../../src/plugin/index.ts'

const src = path.resolve(import.meta.dirname, '../../src')

const withoutAtomic = {
  name: 'without-atomic',
  enforce: 'pre' as const,
  transform: (code: string, id: string) => (id.endsWith('store.ts') ? code.replaceAll('atomic:', '') : null),
}

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  logLevel: 'warn',
  resolve: { alias: { 'charcoal-js/runtime': path.join(src, 'plugin/runtime.ts') } },
  plugins: [mode === 'plain' ? withoutAtomic : [], charcoal({})],
  build: { target: 'es2022', outDir: `dist-${mode === 'plain' ? 'plain' : 'atomic'}` },
}))
