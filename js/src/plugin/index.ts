/**
 * charcoal-js/plugin: the build plugin for Vite, Rollup, Rolldown, webpack, Rspack, esbuild and Farm.
 *
 * @example
 * // vite.config.js
 * import { vite } from 'charcoal-js/plugin'
 * export default { plugins: [vite({ include: /src\/store/ })] }
 */
import { createRequire } from 'node:module'
import path from 'node:path'
import { createUnplugin, type UnpluginInstance, type UnpluginOptions } from 'unplugin'
import { isAsWritten, isOfPackage } from './packages.ts'
import { isMarked, transform } from './transform.ts'

/** Options of the build plugin. */
export interface PluginOptions {
  /**
   * In these files every async function becomes an activity function. In all others: marked ones, and those with an
   * `atomic:` block. It means no files in node_modules.
   */
  include?: RegExp | ((id: string) => boolean) | undefined
  /** Files left alone. By default there are none: also packages may have atomic blocks. */
  exclude?: RegExp | undefined
  /** The module that transformed code imports; for tests. */
  runtime?: string | undefined
}

/** Files whose script a plugin of a framework compiles. */
const COMPONENT = /\.(vue|svelte|astro)$/
const SCRIPT = /\.[cm]?[jt]sx?(\?|$)/

/** What the plugins of all bundlers are made of. */
export const unplugin: UnpluginInstance<PluginOptions | undefined, true> = createUnplugin((options = {}) => {
  const { include, exclude, runtime = 'charcoal-js/runtime' } = options
  const plugin = (name: string, enforce: 'pre' | 'post', isTaken: (id: string) => boolean): UnpluginOptions => ({
    name,
    enforce,
    transformInclude: (id) => isTaken(id) && exclude?.test(id) !== true,
    transform(code, id) {
      const path = id.replace(/\?.*$/, '')
      const ofPackage = isOfPackage(path)
      if (ofPackage && !isAsWritten(code)) return null
      const all = !ofPackage && (typeof include === 'function' ? include(path) : include?.test(path))
      if (enforce === 'post' && (all || isMarked(code)) && /^\s*(<|---)/.test(code))
        throw new Error(`${path} is not compiled yet: put charcoal's plugin behind the one that compiles it`)
      // A part of a component says its language at the end: `App.vue?vue&type=script&lang.ts`.
      return transform(code, { file: /[?&]lang\.[jt]sx?$/.test(id) ? id : path, all, runtime })
    },
  })
  return [
    {
      ...plugin('charcoal', 'pre', (id) => SCRIPT.test(id)),
      // Vite's development server would find it only in the first file that is transformed, and load the page again.
      vite: {
        config: ({ root = '' }) => (isFound(runtime, root) ? { optimizeDeps: { include: [runtime] } } : undefined),
      },
    },
    plugin('charcoal:components', 'post', (id) => COMPONENT.test(id)),
  ]
})

/** Does the project itself have the module, and not only a package of its that is transformed, too? */
function isFound(module: string, root: string): boolean {
  try {
    return createRequire(path.resolve(root, 'package.json')).resolve(module) !== ''
  } catch {
    return false
  }
}

// The types name no bundler, for a project does not have them all.
type Plugins = typeof unplugin
/** The plugin for Vite; those for other bundlers are called after them. */
export const vite: Plugins['vite'] = unplugin.vite
export const rollup: Plugins['rollup'] = unplugin.rollup
export const rolldown: Plugins['rolldown'] = unplugin.rolldown
export const webpack: Plugins['webpack'] = unplugin.webpack
export const esbuild: Plugins['esbuild'] = unplugin.esbuild
export const rspack: Plugins['rspack'] = unplugin.rspack
export const farm: Plugins['farm'] = unplugin.farm
export { transform, TransformError, type TransformOptions, type Transformed } from './transform.ts'
