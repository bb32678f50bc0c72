// Jest, plain syntax: files are transformed before babel-jest gets them.
const { createTransformer } = require('babel-jest').default
const { transform } = require('charcoal-js/plugin')
const { version } = require('charcoal-js/package.json')

const babel = createTransformer()

module.exports = {
  canInstrument: true,
  // A new version of the plugin, or another configuration of Babel, makes Jest forget what it has kept.
  getCacheKey: (source, file, options) => babel.getCacheKey(version + source, file, options),
  process(source, file, options) {
    const done = transform(source, { file })
    const text = done === null ? source : `${done.code}\n//# sourceMappingURL=${done.map.toUrl()}`
    return babel.process(text, file, options)
  },
}
