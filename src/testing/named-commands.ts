/** Commands that the README, the docs, pages and messages name, as they name them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '../..')

export interface NamedCommand {
  readonly file: string
  readonly command: string
}

export const readSource = (file: string) => readFileSync(join(root, file), 'utf8')
export const sourceFiles = (pattern: string) =>
  [...new Glob(pattern).scanSync(root)].filter((file) => !/\.test\.|\/testing\//.test(file))

/** Indented or fenced lines of a shell, and what stands between backticks. */
function inDocs(file: string): NamedCommand[] {
  const text = readSource(file).replaceAll(/\\\n\s*/g, ' ')
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

/** Returns the commands that quotes hold, or that are a whole text; `${…}` stands for one word. */
export function quotedIn(file: string): NamedCommand[] {
  const text = readSource(file).replaceAll(/\$\{[^}]*\}/g, 'WORD')
  const found = text.matchAll(/(?:'|`|“|<code>|\\')inferd ([a-z][^'`”<\n]*)(?:\\?'|`|”|<)/g)
  return [...found].map(([, words = '']) => ({ file, command: words }))
}

/** Calls that make a command complete. */
function completedIn(file: string): NamedCommand[] {
  const text = readSource(file).replaceAll(/\$\{[^}]*\}/g, 'WORD')
  const made = text.matchAll(/(?:io\.command|ownCommand)\((?:'|`)([a-z][^'`]*)(?:'|`)/g)
  return [...made].map(([, words = '']) => ({ file, command: words }))
}

/** Sentences that begin with the name of the program: none of them is a command. */
export const sentences = /^(works|test|prompts|diagnosis|engine|bundle WORD|is|has|takes|since|was) ?/

/** Each place that names a command. */
export const namedCommands: readonly NamedCommand[] = [
  ...['README.md', ...sourceFiles('docs/*.md')]
    .filter((file) => !file.endsWith('benchmarks.md'))
    .flatMap(inDocs)
    .filter(({ command }) => !sentences.test(command)),
  ...[...sourceFiles('src/**/*.ts'), ...sourceFiles('ui/**/*.{ts,tsx}')]
    .flatMap((file) => [...quotedIn(file), ...completedIn(file)])
    .filter(({ command }) => !sentences.test(command)),
]
