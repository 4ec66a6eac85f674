/** Every command that the README, the docs, a page or a message names exists, with the flags and arguments that it is given. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { Command } from 'commander'
import { buildProgram } from './cli.ts'

const root = join(import.meta.dir, '../..')

interface Named {
  readonly file: string
  readonly command: string
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = (pattern: string) =>
  [...new Glob(pattern).scanSync(root)].filter((file) => !/\.test\.|\/testing\//.test(file))

/** Indented or fenced lines of a shell, and what stands between backticks. */
function inDocs(file: string): Named[] {
  const text = read(file).replaceAll(/\\\n\s*/g, ' ')
  const lines = [
    ...text.matchAll(/^(?: {4,}|\t)?(?:[A-Z_]+=\S+ )*(?:\$ )?(?:\S*\/)?inferd (?!is |and )([a-z-][^\n]*)$/gm),
  ]
  const spans = [...text.matchAll(/`inferd ((?:--)?[a-z][^`]*)`/g)]
  const indented = lines
    .filter(([line]) => line.startsWith('    '))
    .map(([, words = '']) => words.split(/ {2,}|[ ]#/)[0] ?? '')
  return [...indented, ...spans.map(([, words = '']) => words.replaceAll('\n', ' '))].map((command) => ({
    file,
    command,
  }))
}

/** What quotes hold, or is a whole text; `${…}` stands for one word. */
function inSource(file: string): Named[] {
  const text = read(file).replaceAll(/\$\{[^}]*\}/g, 'WORD')
  const found = text.matchAll(/(?:'|`|“|<code>|\\')inferd ([a-z][^'`”<\n]*)(?:\\?'|`|”|<)/g)
  const made = text.matchAll(/(?:io\.command|ownCommand)\((?:'|`)([a-z][^'`]*)(?:'|`)/g)
  return [...found, ...made].map(([, words = '']) => ({ file, command: words }))
}

/** Sentences that begin with the name of the program: none of them is a command. */
const sentences = /^(works|test|prompts|diagnosis|engine|bundle WORD|is|has|takes|since|was) ?/

const named = [
  ...['README.md', ...files('docs/*.md')]
    .filter((file) => !file.endsWith('benchmarks.md'))
    .flatMap(inDocs)
    .filter(({ command }) => !sentences.test(command)),
  ...[...files('src/**/*.ts'), ...files('ui/**/*.{ts,tsx}')]
    .flatMap(inSource)
    .filter(({ command }) => !sentences.test(command)),
]

/** Undefined where the words are a command as it may be typed; else what is wrong. */
function problemOf(command: string): string | undefined {
  let place: Command = buildProgram(silent, async () => undefined)
  const words = (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).filter((word) => !['…', '|', '>', '&&'].includes(word))
  const rest = [...words]
  while (rest[0] !== undefined) {
    const next = place.commands.find((each) => each.name() === rest[0])
    if (next === undefined) break
    place = next
    rest.shift()
  }
  if (place.parent === null) return words[0]?.startsWith('-') ? undefined : `there is no command ${words[0]}`
  const flags = rest.flatMap((word) => /^(-[a-z]\b|--[\w-]+)/.exec(word)?.[0] ?? [])
  const unknown = flags.find(
    (flag) => !place.options.some(({ long, short }) => flag === long || flag === short || flag === '--help'),
  )
  if (unknown !== undefined) return `${place.name()} has no flag ${unknown}`
  const [first] = rest
  const isGroup = place.commands.length > 0
  // `endpoints` lists without a further word.
  if (isGroup && first !== undefined && place.name() !== 'endpoints') return `${place.name()} has no command ${first}`
  return undefined
}

const silent = {
  ...{ out: () => undefined, deliver: async () => undefined, error: () => undefined, environment: {} },
  ...{ ask: async () => undefined, command: (words: string) => words, hint: (text: string) => text },
}

test('every command that is named exists, with its flags', () => {
  const problems = named.flatMap(({ file, command }) => {
    const problem = problemOf(command)
    return problem === undefined ? [] : `${file}: inferd ${command}: ${problem}`
  })
  expect(problems).toEqual([])
  // A pattern that finds nothing proves nothing.
  expect(named.length).toBeGreaterThan(150)
  for (const file of ['README.md', 'docs/operations.md', 'src/cli/problem-text.ts', 'ui/texts/en/models.ts'])
    expect(named.some((each) => each.file === file)).toBe(true)
})
