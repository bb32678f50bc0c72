// For plain syntax; without it Jest runs such code, but atomic blocks do nothing.
module.exports = { transform: { '\\.[cm]?[jt]sx?$': './charcoal.cjs' } }
