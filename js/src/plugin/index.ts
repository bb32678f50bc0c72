/**
 * charcoal-js/plugin: the build plugin for Vite, Rollup, webpack, Rspack and esbuild.
 *
 * @example
 * // vite.config.js
 * import { vite } from 'charcoal-js/plugin'
 * export default { plugins: [vite({ include: /src\/store/ })] }
 */
import { createUnplugin, type UnpluginInstance } from 'unplugin'
import { transform } from './transform.ts'

/** Options of the build plugin. */
export interface PluginOptions {
  /**
   * In these files every async function becomes an activity function. In all others: marked ones, and those with an
   * `atomic:` block.
   */
  include?: RegExp | ((id: string) => boolean) | undefined
  /** Files left alone. Default: node_modules. */
  exclude?: RegExp | undefined
  /** The module that transformed code imports; for tests. */
  runtime?: string | undefined
}

/** What the plugins of all bundlers are made of. */
export const unplugin: UnpluginInstance<PluginOptions | undefined> = createUnplugin((options = {}) => {
  const { include, exclude = /node_modules/ } = options
  return {
    name: 'charcoal',
    enforce: 'pre',
    transformInclude: (id) => /\.[cm]?[jt]sx?(\?|$)/.test(id) && !exclude.test(id),
    transform(code, id) {
      const file = id.replace(/\?.*$/, '')
      const all = include === undefined ? false : typeof include === 'function' ? include(file) : include.test(file)
      return transform(code, { file, all, runtime: options.runtime })
    },
  }
})

// The types name no bundler, for a project does not have them all.
type Plugins = typeof unplugin
/** The plugin for Vite; those for other bundlers are called after them. */
export const vite: Plugins['vite'] = unplugin.vite
export const rollup: Plugins['rollup'] = unplugin.rollup
export const webpack: Plugins['webpack'] = unplugin.webpack
export const esbuild: Plugins['esbuild'] = unplugin.esbuild
export const rspack: Plugins['rspack'] = unplugin.rspack
export { transform, TransformError, type TransformOptions, type Transformed } from './transform.ts'
