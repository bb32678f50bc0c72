// Babel, plain syntax: a plugin of Babel. It gives Babel's parser transformed text; lines stay where they were.
const { transform } = require('charcoal-js/plugin')

module.exports = () => ({
  name: 'charcoal',
  parserOverride(source, options, parse) {
    const done = transform(source, { file: options.sourceFileName })
    return parse(done === null ? source : done.code, options)
  },
})
