import { describe, expect, test } from 'bun:test'
import { parse as parseStrictly } from 'smol-toml'
import type { SettingValue } from '../core/setting.ts'
import { editToml, type TomlChange } from './edit-toml.ts'

const set = (path: string | readonly string[], value: SettingValue): TomlChange => ({ path: [path].flat(), value })
const unset = (...path: string[]): TomlChange => ({ path, value: undefined })
const input = ['prices', 'org/model', 'input']

/** Name, text, change, and the text afterwards. */
const cases: readonly (readonly [string, string, TomlChange, string])[] = [
  [
    'a new key goes below the last of its table',
    '[t]\na = 1\n# b\nb = 2\n',
    set(['t', 'c'], 3),
    '[t]\na = 1\n# b\nb = 2\nc = 3\n',
  ],
  ['arrays of tables', '[[x]]\na = 1\n[[x]]\na = 2\n', set('b', 3), 'b = 3\n\n[[x]]\na = 1\n[[x]]\na = 2\n'],
  ['a value keeps its comment', 'a = 1  # one\nb = 2\n', set('a', 3), 'a = 3  # one\nb = 2\n'],
  [
    'a new key goes below the last of the root',
    'a = 1\n\n# t\n[t]\nb = 2\n',
    set('c', true),
    'a = 1\nc = true\n\n# t\n[t]\nb = 2\n',
  ],
  [
    'the first key of the root goes above the comment of the first table',
    '# file\n\n# t\n# u\n[t]\n',
    set('c', 'x'),
    '# file\n\nc = "x"\n\n# t\n# u\n[t]\n',
  ],
  ['an empty text', '', set('a', '5m'), 'a = "5m"\n'],
  ['comments alone', '# all as it comes', set('a', 1), '# all as it comes\na = 1\n'],
  ['no final newline', 'a = 1', set('b', 2), 'a = 1\nb = 2'],
  ['CRLF', 'a = 1 # x\r\n[t]\r\nb = 2\r\n', set('c', 3), 'a = 1 # x\r\nc = 3\r\n[t]\r\nb = 2\r\n'],
  ['an array over lines', 'a = [\n  "x", # first\n  "y",\n]\nb = 1\n', set('a', ['z', 'w']), 'a = ["z", "w"]\nb = 1\n'],
  ['a text over lines', 'a = """\nx\n"""\nb = 1\n', set('a', 'y'), 'a = "y"\nb = 1\n'],
  ['a quoted key', '"a" = 1\n', set('a', 2), '"a" = 2\n'],
  [
    'a key in a table',
    '[prices."org/model"]\ninput = 1 # in\n',
    set(input, 0.25),
    '[prices."org/model"]\ninput = 0.25 # in\n',
  ],
  [
    'a literal key of a table',
    "[prices.'org/model']\noutput = 1\n[z]\n",
    set(input, 2),
    "[prices.'org/model']\noutput = 1\ninput = 2\n[z]\n",
  ],
  [
    'an empty table',
    '[prices."org/model"] # p\n\n[z]\n',
    set(input, 2),
    '[prices."org/model"] # p\ninput = 2\n\n[z]\n',
  ],
  ['a table that is not there', 'a = 1\n', set(input, 2), 'a = 1\n\n[prices."org/model"]\ninput = 2\n'],
  [
    'dotted keys of the root',
    'prices."org/model".output = 1\na = 1\n',
    set(input, 2),
    'prices."org/model".output = 1\nprices."org/model".input = 2\na = 1\n',
  ],
  [
    'dotted keys of a table, indented',
    '[prices]\n  "org/model".output = 1\n',
    set(input, 2),
    '[prices]\n  "org/model".output = 1\n  "org/model".input = 2\n',
  ],
  [
    'an inline table',
    '[prices]\n"org/model" = { output = 1 } # c\n',
    set(input, 2),
    '[prices]\n"org/model" = { output = 1, input = 2 } # c\n',
  ],
  ['an inline table of tables', 'prices = {}\n', set(input, 2), 'prices = { "org/model".input = 2 }\n'],
  [
    'a value in an inline table',
    'prices = { "org/model" = { input = 1, output = 3 } }\n',
    set(input, 2),
    'prices = { "org/model" = { input = 2, output = 3 } }\n',
  ],
  ['text that needs escapes', 'a = 1\n', set('a', 'q"\\\x7f#é'), 'a = "q\\"\\\\\\u007f#é"\n'],
  [
    'a key is removed with its comment, the one above stays',
    '# above\na = 1 # one\nb = 2\n',
    unset('a'),
    '# above\nb = 2\n',
  ],
  ['the last line is removed', 'a = 1\nb = 2', unset('b'), 'a = 1\n'],
  ['lines of an array are removed', 'a = [\n 1,\n]\nb = 2\n', unset('a'), 'b = 2\n'],
  ['a key that is not there is not removed', 'a = 1\n', unset('b'), 'a = 1\n'],
  [
    'a table is removed with its keys',
    'a = 1\n[prices."org/model"] # p\ninput = 1\n# kept\noutput = 2\n[z]\nb = 1\n',
    unset('prices', 'org/model'),
    'a = 1\n# kept\n[z]\nb = 1\n',
  ],
  [
    'the first, a middle and the only one of an inline table',
    't = { a = 1, b = 2, c = 3 }\n',
    unset('t', 'a'),
    't = { b = 2, c = 3 }\n',
  ],
  ['the middle one of an inline table', 't = { a = 1, b = 2, c = 3 }\n', unset('t', 'b'), 't = { a = 1, c = 3 }\n'],
  ['the only one of an inline table', 't = { a = 1 } # c\n', unset('t', 'a'), 't = {} # c\n'],
  ['an inline table is removed whole', 'a = 1\nt = { a = 1, b = { c = 2 } }\n', unset('t'), 'a = 1\n'],
  ['a key of the root does not match one of a table', '[t]\na = 1\n', set('a', 2), 'a = 2\n\n[t]\na = 1\n'],
]

describe('a change leaves everything else as it is:', () => {
  for (const [about, text, change, edited] of cases) {
    test(about, () => expect(editToml(text, [change])).toBe(edited))
  }
})

test('text that is no TOML is refused', () => {
  expect(() => editToml('a = \n', [set('b', 1)])).toThrow()
})

/** Generator of numbers with a fixed seed. */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const names = ['a', 'b_c', 'org/model', 'x.y', 'é', 'd-1']
const values = [
  '1',
  '0.25',
  'true',
  '"t # no comment"',
  "'l'",
  '["x", "y"]',
  '[\n  1, # one\n  2,\n]',
  '"""\nm\n"""',
  '{}',
  '{ i = 1, j = "k" }',
]
const newValues: readonly SettingValue[] = [7, 0.5, false, 'new "text"', ['p', 'q'], []]

/** Writes a random valid text of settings and tables, with comments and empty lines. */
function randomText(below: (limit: number) => number): string {
  const pick = (list: readonly string[]) => list[below(list.length)] ?? ''
  const key = (name: string) => (/^[\w-]+$/.test(name) && below(3) > 0 ? name : JSON.stringify(name))
  const lines: string[] = []
  const noise = () => {
    if (below(3) === 0) lines.push(pick(['', '# comment = 1', '  # [no.table]']))
  }
  const keys = () => {
    for (const name of names) {
      noise()
      if (below(2) > 0) continue
      const dotted = below(5) === 0 ? `.${key(pick(names))}` : ''
      lines.push(
        `${pick(['', '', '  '])}${key(name)}${dotted}${pick([' = ', '='])}${pick(values)}${pick(['', ' # c'])}`,
      )
    }
  }
  keys()
  for (const name of names.filter(() => below(2) > 0)) {
    noise()
    lines.push(`[t.${key(name)}]${pick(['', ' # t'])}`)
    keys()
  }
  const text = lines.join('\n') + pick(['\n', ''])
  return below(4) === 0 ? text.replaceAll('\n', '\r\n') : text
}

type Tree = { [key: string]: unknown }

/** Returns the tree after a change: the goal of an edit. */
function changed(tree: Tree, [head = '', ...rest]: readonly string[], value: SettingValue | undefined): Tree {
  const { [head]: inner, ...others } = tree
  if (rest.length === 0) return value === undefined ? others : { ...tree, [head]: value }
  if (value === undefined && inner === undefined) return tree
  return { ...tree, [head]: changed((inner ?? {}) as Tree, rest, value) }
}

test('random texts say the changed value afterwards, and keep every other line', () => {
  const below = generator(34)
  let edits = 0
  for (let round = 0; round < 3_000; round++) {
    const text = randomText(below)
    const before = plain(Bun.TOML.parse(text))
    const path =
      below(2) === 0
        ? [names[below(names.length)] ?? '']
        : ['t', names[below(names.length)] ?? '', names[below(names.length)] ?? '']
    const value = below(4) === 0 ? undefined : newValues[below(newValues.length)]
    // A table does not become a value, nor a value a table.
    if (hasLeafAbove(before, path) || (value !== undefined && isTree(at(before, path)))) continue
    const edited = editToml(text, [{ path, value }])
    expect(() => parseStrictly(edited)).not.toThrow()
    const tree = plain(Bun.TOML.parse(edited))
    expect({ text, path, value, tree }).toEqual({ text, path, value, tree: changed(before, path, value) })
    // All that was there is there in order, except the lines that say the old value.
    const old = text.split(/\r?\n/)
    const kept = edited.split(/\r?\n/)
    const added = kept.filter((line) => line !== '' && !old.includes(line))
    expect(added.length).toBeLessThanOrEqual(2)
    if (value !== undefined && !hasPath(before, path))
      expect(
        isSubsequence(
          old.filter((line) => line !== ''),
          kept,
        ),
      ).toBe(true)
    edits++
  }
  expect(edits).toBeGreaterThan(2_000)
})

function plain(tree: unknown): Tree {
  return JSON.parse(JSON.stringify(tree)) as Tree
}

function at(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isTree(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    tree,
  )
}

function hasPath(tree: Tree, path: readonly string[]): boolean {
  return at(tree, path) !== undefined
}

/** Returns whether the path leads through a value that is no table. */
function hasLeafAbove(tree: Tree, path: readonly string[]): boolean {
  return path.slice(1).some((_, index) => {
    const above = at(tree, path.slice(0, index + 1))
    return above !== undefined && !isTree(above)
  })
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let from = 0
  return part.every((line) => {
    const found = whole.findIndex(
      (each, index) => index >= from && each.startsWith(line.replace(/\}.*$/, '').trimEnd().replace(/\{$/, '')),
    )
    from = found + 1
    return found !== -1
  })
}
