// The entry points of the package: name in dist/ and after `charcoal-js/`, and source. `index` is `charcoal-js` itself.
export const library = {
  index: 'src/index.ts',
  ops: 'src/ops.ts',
  events: 'src/events.ts',
  context: 'src/context.ts',
  streams: 'src/streams.ts',
  worker: 'src/worker.ts',
  tabs: 'src/tabs.ts',
  react: 'src/react.ts',
  runtime: 'src/plugin/runtime.ts',
  dev: 'src/dev/index.ts',
}
/** For Node alone. */
export const tools = {
  plugin: 'src/plugin/index.ts',
  eslint: 'src/eslint/index.ts',
  register: 'src/plugin/register.ts',
  registerSync: 'src/plugin/registerSync.ts',
  loader: 'src/plugin/loader.ts',
  hooks: 'src/plugin/hooks.ts',
}
/** What a program imports. */
export const specifier = (name) => (name === 'index' ? 'charcoal-js' : `charcoal-js/${name}`)
