/** Changes of single keys in a TOML text. Comments, order and form of everything else stay. Pure. */
import { type AST, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser'
import type { SettingValue } from '../core/setting.ts'

/** Change of a key, or of a whole table if the value is undefined. */
export interface TomlChange {
  readonly path: readonly string[]
  /** Undefined removes the key, or the table with all its keys. */
  readonly value: SettingValue | undefined
}

/** Piece of a text and its replacement. */
interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Key of the text: its whole path and its place. */
interface Entry {
  readonly path: readonly string[]
  readonly node: AST.TOMLKeyValue
}

/** Returns the text after the changes. Throws ParseError if the text is not TOML. */
export function editToml(text: string, changes: readonly TomlChange[]): string {
  // Some editors begin a file with a byte order mark, which a start accepts.
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const edited = changes.reduce((before, { path, value }) => {
    const splices = value === undefined ? removals(before, path) : [placing(before, path, tomlValue(value))]
    return splices
      .toSorted((left, right) => right.start - left.start)
      .reduce((edited, { start, end, text }) => edited.slice(0, start) + text + edited.slice(end), before)
  }, text.slice(mark.length))
  return mark + edited
}

/** Returns the splice that gives a key its value, at its old place or at the best new one. */
function placing(text: string, path: readonly string[], value: string): Splice {
  const { tables, entries } = readToml(text)
  const same = entries.find((entry) => isSame(entry.path, path))
  if (same !== undefined) return { start: same.node.value.range[0], end: same.node.value.range[1], text: value }
  // The deepest inline table that holds the key's table, since nothing outside the braces can extend it.
  const inline = entries.findLast(({ path: own, node }) => node.value.type === 'TOMLInlineTable' && isWithin(path, own))
  if (inline?.node.value.type === 'TOMLInlineTable')
    return intoInline(inline.node.value, `${tomlKeys(path.slice(inline.path.length))} = ${value}`)
  const parent = path.slice(0, -1)
  const [name = ''] = path.slice(-1)
  const sibling = entries.findLast((entry) => isSame(entry.path.slice(0, -1), parent))
  if (sibling !== undefined) {
    const last = sibling.node.key.keys.at(-1) ?? sibling.node
    const dotted = text.slice(sibling.node.range[0], last.range[0])
    return lineAfter(text, sibling.node.range[1], `${indentOf(text, sibling.node)}${dotted}${tomlKey(name)} = ${value}`)
  }
  const table = tables.findLast(({ resolvedKey }) => isSame(resolvedKey, parent))
  if (table !== undefined) return lineAfter(text, table.range[0], `${tomlKey(name)} = ${value}`)
  if (parent.length > 0) return atEnd(text, [`[${tomlKeys(parent)}]`, `${tomlKey(name)} = ${value}`])
  return beforeTables(text, tables, entries, `${tomlKey(name)} = ${value}`)
}

/** Returns the splice of the first line that belongs to no table. */
function beforeTables(text: string, tables: readonly AST.TOMLTable[], entries: readonly Entry[], line: string): Splice {
  const [first] = tables
  const last = entries.findLast(({ node }) => first === undefined || node.range[0] < first.range[0])
  if (last !== undefined) return lineAfter(text, last.node.range[1], line)
  if (first === undefined) return atEnd(text, [line])
  // Comments right above a header belong to it.
  let start = text.lastIndexOf('\n', first.range[0]) + 1
  while (start > 0 && /^\s*#/.test(lineBefore(text, start))) start -= lineBefore(text, start).length
  return { start, end: start, text: line + newline(text) + newline(text) }
}

function lineBefore(text: string, start: number): string {
  return text.slice(start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1, start)
}

function intoInline(table: AST.TOMLInlineTable, entry: string): Splice {
  const last = table.body.at(-1)
  if (last === undefined) return { start: table.range[0], end: table.range[1], text: `{ ${entry} }` }
  return { start: last.range[1], end: last.range[1], text: `, ${entry}` }
}

/** Returns the splice of a new line below the one that holds `offset`. */
function lineAfter(text: string, offset: number, line: string): Splice {
  const end = text.indexOf('\n', offset)
  if (end === -1) return { start: text.length, end: text.length, text: newline(text) + line }
  return { start: end + 1, end: end + 1, text: line + newline(text) }
}

/** Returns the splice of the last lines. A table has an empty line above. */
function atEnd(text: string, lines: readonly string[]): Splice {
  const own = newline(text)
  const gap = text === '' ? '' : (text.endsWith('\n') ? '' : own) + (lines.length > 1 ? own : '')
  return { start: text.length, end: text.length, text: gap + lines.map((line) => line + own).join('') }
}

/** Returns the splices that remove a key, or a table with all its keys. */
function removals(text: string, path: readonly string[]): Splice[] {
  const { tables, entries } = readToml(text)
  const gone = entries.filter((entry) => isWithin(entry.path, path))
  // The keys of an inline table leave with it.
  const outer = gone.filter(({ node }) => !gone.some((other) => other.node !== node && isAround(other.node, node)))
  const headers = tables.filter(({ resolvedKey }) => isWithin(resolvedKey, path))
  return [
    ...outer.map(({ node }) => {
      const { parent } = node
      return parent.type === 'TOMLInlineTable' ? outOfInline(parent, node) : linesOf(text, node.range)
    }),
    ...headers.map(({ range: [start], key }) => linesOf(text, [start, key.range[1]])),
  ]
}

/** Returns the splice that removes an entry of an inline table with one of its commas. */
function outOfInline({ body, range }: AST.TOMLInlineTable, node: AST.TOMLKeyValue): Splice {
  const at = body.indexOf(node)
  const [before, after] = [body[at - 1], body[at + 1]]
  if (before !== undefined) return { start: before.range[1], end: node.range[1], text: '' }
  if (after !== undefined) return { start: node.range[0], end: after.range[0], text: '' }
  return { start: range[0], end: range[1], text: '{}' }
}

/** Returns the splice that removes whole lines, with the comments at their end. */
function linesOf(text: string, [start, end]: readonly [number, number]): Splice {
  const newlineAt = text.indexOf('\n', end)
  return { start: text.lastIndexOf('\n', start) + 1, end: newlineAt === -1 ? text.length : newlineAt + 1, text: '' }
}

/** Returns the tables with a header, and all keys in order, those of inline tables included. */
function readToml(text: string): { readonly tables: readonly AST.TOMLTable[]; readonly entries: readonly Entry[] } {
  const [root] = parseTOML(text, { tomlVersion: '1.0' }).body
  const tables = root.body.filter((node) => node.type === 'TOMLTable')
  const entries = root.body.flatMap((node) =>
    node.type === 'TOMLTable' ? node.body.flatMap((each) => entriesOf(each, node.resolvedKey)) : entriesOf(node, []),
  )
  return { tables, entries }
}

function entriesOf(node: AST.TOMLKeyValue, above: readonly (string | number)[]): Entry[] {
  const path = [...above.map(String), ...getStaticTOMLValue(node.key).map(String)]
  const inner = node.value.type === 'TOMLInlineTable' ? node.value.body : []
  return [{ path, node }, ...inner.flatMap((each) => entriesOf(each, path))]
}

function isAround(outer: AST.TOMLKeyValue, inner: AST.TOMLKeyValue): boolean {
  return outer.range[0] <= inner.range[0] && inner.range[1] <= outer.range[1]
}

function isSame(left: readonly (string | number)[], right: readonly string[]): boolean {
  return left.length === right.length && isWithin(left, right)
}

/** Returns whether a path is the outer one, or below it. */
function isWithin(path: readonly (string | number)[], outer: readonly string[]): boolean {
  return outer.every((part, index) => path[index] === part)
}

function indentOf(text: string, { range: [start] }: AST.TOMLKeyValue): string {
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
}

function newline(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n'
}

function tomlKeys(path: readonly string[]): string {
  return path.map(tomlKey).join('.')
}

function tomlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : tomlValue(name)
}

/** Returns a value in TOML, which writes texts, numbers, booleans and lists as JSON does, except the character DEL. */
function tomlValue(value: SettingValue): string {
  return JSON.stringify(value).replaceAll('\x7f', '\\u007f').replaceAll('","', '", "')
}
