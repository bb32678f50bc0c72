// The text of docs/reference.md, from the types and comments of what the package exports.
import ts from 'typescript'

const LONGEST = 120
const text = (parts) => ts.displayPartsToString(parts).trim()
const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope

/** The page about what `exported` (examples.mjs) has found. */
export function referencePage({ found, checker }) {
  const out = ['# Reference', '', 'Generated from the types by `npm run docs`; do not edit.', '']

  let section = ''
  for (const { entry, name, symbol, declaration, example, shownBy } of found) {
    if (entry !== section) out.push(`## \`${(section = entry)}\``, '')
    out.push(`### ${name}`, '', '```ts')
    const type = checker.getTypeOfSymbolAtLocation(symbol, declaration)
    if (symbol.flags & ts.SymbolFlags.Function)
      for (const s of type.getCallSignatures()) out.push(`${name}${checker.signatureToString(s, undefined, flags)}`)
    else if (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) out.push(...members(symbol, checker))
    else if (symbol.flags & ts.SymbolFlags.TypeAlias) out.push(declaration.getText().replace(/^export /, ''))
    else out.push(`${name}: ${checker.typeToString(type, undefined, flags)}`)
    out.push('```', '')
    const doc = text(symbol.getDocumentationComment(checker))
    if (doc !== '') out.push(doc, '')
    if (example !== undefined) out.push('```ts no-run', example, '```', '')
    else if (shownBy.length > 0) out.push(`For an example see ${listed(shownBy)}.`, '')
  }
  return out.map(divided).join('\n')
}

/** The first of the names, and whether there are more. */
function listed(names) {
  const first = names.slice(0, 3).map((name) => `\`${name}\``)
  if (names.length > 3) return `${first.join(', ')} and others`
  return first.join(', ').replace(/, (?!.*, )/, ' and ')
}

/** The comment of a member, in lines that are not too long. */
function comment(doc) {
  if (doc.length + 8 < LONGEST) return [`  /** ${doc} */`]
  const lines = ['']
  for (const word of doc.split(' ')) {
    const line = lines.at(-1)
    if (line.length + word.length + 6 > LONGEST) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return ['  /**', ...lines.map((line) => `   * ${line}`), '   */']
}

/** A signature with each parameter on a line of its own, if it is too long for one. */
function divided(line) {
  const open = line.indexOf('(')
  if (line.length <= LONGEST || open < 0 || line.includes('\n')) return line
  const parameters = ['']
  let depth = 0
  let at = open + 1
  for (; depth >= 0; at++) {
    const c = line[at]
    if (/[([{<]/.test(c)) depth++
    else if (/[)\]}]/.test(c) || (c === '>' && line[at - 1] !== '=')) depth--
    if (depth < 0) break
    if (depth === 0 && c === ',') parameters.push('')
    else parameters[parameters.length - 1] += c
  }
  const indent = /^ */.exec(line)[0]
  const each = parameters.map((parameter) => `${indent}  ${parameter.trim()}`.replace(/^(?! *\.\.\.).*$/, '$&,'))
  return [line.slice(0, open + 1), ...each, `${indent}${line.slice(at)}`].join('\n')
}

function members(symbol, checker) {
  const kind = symbol.flags & ts.SymbolFlags.Class ? 'class' : 'interface'
  const lines = [`${kind} ${symbol.name} {`]
  for (const member of symbol.members?.values() ?? []) {
    const declaration = member.declarations?.[0]
    if (
      declaration === undefined ||
      member.name.startsWith('#') ||
      ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.NonPublicAccessibilityModifier
    )
      continue
    if (
      member.getJsDocTags(checker).some((t) => t.name === 'internal') ||
      ['__constructor', '__type'].includes(member.name)
    )
      continue
    if (member.flags & (ts.SymbolFlags.TypeParameter | ts.SymbolFlags.Constructor)) continue
    const name = member.name.startsWith('__@') ? `[Symbol.${member.name.replace(/^__@(\w+)@.*$/, '$1')}]` : member.name
    const type = checker.getTypeOfSymbolAtLocation(member, declaration)
    const doc = text(member.getDocumentationComment(checker))
    if (doc !== '') lines.push(...comment(doc.replaceAll('\n', ' ')))
    if (member.flags & ts.SymbolFlags.Method)
      for (const s of type.getCallSignatures()) lines.push(`  ${name}${checker.signatureToString(s, undefined, flags)}`)
    else lines.push(`  ${name}: ${checker.typeToString(type, undefined, flags)}`)
  }
  return [...lines, '}']
}
