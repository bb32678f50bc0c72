// The examples in the comments of what the package exports, and how each becomes a program.
//
// An example needs no imports: what it uses of the package is imported for it. With `await` at its top level it is
// the body of an async function, otherwise that of an activity. What follows `// →` is what it prints. One that
// begins with `// not run`, and why, is only shown.
import ts from 'typescript'
import path from 'node:path'
import { library, specifier, tools } from './entries.mjs'

/**
 * The exported names of each entry point: { entry, name, symbol, declaration, example, shownBy }, sorted. A type
 * without an example has those of the functions and classes that it is a part of, which `shownBy` names.
 */
export function exported(js) {
  const { runtime: _, ...entries } = { ...library, plugin: tools.plugin, eslint: tools.eslint }
  const config = ts.getParsedCommandLineOfConfigFile(
    path.join(js, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error },
  )
  const program = ts.createProgram(
    Object.values(entries).map((f) => path.join(js, f)),
    config.options,
  )
  const checker = program.getTypeChecker()
  const found = []
  for (const [entry, file] of Object.entries(entries)) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(path.join(js, file)))
    for (const one of checker.getExportsOfModule(module).sort((a, b) => a.name.localeCompare(b.name))) {
      const symbol = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one
      const declaration = symbol.declarations?.[0]
      if (declaration === undefined) continue
      const tag = symbol.getJsDocTags(checker).find((t) => t.name === 'example')
      const value = Boolean(symbol.flags & ts.SymbolFlags.Value)
      found.push({
        entry: specifier(entry),
        name: one.name,
        symbol,
        declaration,
        value,
        documented: symbol.getDocumentationComment(checker).length > 0,
        example: tag && ts.displayPartsToString(tag.text).trim(),
      })
    }
  }
  for (const one of found) one.shownBy = []
  for (const { example, name, symbol } of found) {
    if (example === undefined) continue
    const used = new Set(symbol.declarations.flatMap((declaration) => symbolsIn(declaration, checker)))
    for (const one of found) if (one.example === undefined && used.has(one.symbol)) one.shownBy.push(name)
  }
  return { found, checker }
}

/** What the names in `declaration` stand for; of a function, those of its signature. */
function symbolsIn(declaration, checker) {
  const symbols = []
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.Block) return
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
    if (symbol !== undefined)
      symbols.push(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
    ts.forEachChild(node, visit)
  }
  visit(declaration)
  return symbols
}

/** The program of an example, as the text of a module that exports `run`; null if it is only shown. */
export function programOf(example, found) {
  if (/^\/\/ not run/.test(example)) return null
  const code = example.replace(/\/\/.*$/gm, '')
  const imports = new Map([['charcoal-js', new Set(['spawn as $spawn'])]])
  for (const { entry, name, value } of found) {
    if (
      !new RegExp(`(?<![.\\w$])${name}\\b`).test(code) ||
      new RegExp(`\\b(const|let|function\\*?|class) ${name}\\b|\\bimport\\b.*\\b${name}\\b`).test(code)
    )
      continue
    if (!imports.has(entry)) imports.set(entry, new Set())
    imports.get(entry).add(value ? name : `type ${name}`)
  }
  const lines = example.split('\n')
  const own = lines.filter((line) => /^import /.test(line))
  const body = lines.filter((line) => !/^import /.test(line)).join('\n')
  const legacy = /^(?:(?:const|let) .*= )?(?:console.log\(.*)?await /m.test(code)
  const head = [...imports].map(([from, names]) => `import { ${[...names].join(', ')} } from '${from}'`)
  const wrapped = legacy
    ? `export const run = async () => {\n${body}\n}`
    : `export const run = () => $spawn(function* (): Generator<unknown, any, any> {\n${body}\n})`
  return [...head, ...own, wrapped, ''].join('\n')
}

/** What an example says it prints. */
export const printed = (example) => [...example.matchAll(/\/\/ → (.*)$/gm)].map((m) => m[1].trim())
