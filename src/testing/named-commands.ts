/** Commands that the README, the docs, pages and messages name, in their words. */
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

/** Returns the commands in indented or fenced shell lines and between backticks. */
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

/** Returns the commands in quotes or that are a whole text; `${…}` stands for one word. */
export function quotedIn(file: string): NamedCommand[] {
  const text = readSource(file).replaceAll(/\$\{[^}]*\}/g, 'WORD')
  const found = text.matchAll(/(?:'|`|“|<code>|\\')inferd ([a-z][^'`”<\n]*)(?:\\?'|`|”|<)/g)
  return [...found].map(([, words = '']) => ({ file, command: words }))
}

/** Returns the commands in calls that complete a command. */
function completedIn(file: string): NamedCommand[] {
  const text = readSource(file).replaceAll(/\$\{[^}]*\}/g, 'WORD')
  const made = text.matchAll(/(?:io\.command|ownCommand)\((?:'|`)([a-z][^'`]*)(?:'|`)/g)
  return [...made].map(([, words = '']) => ({ file, command: words }))
}

/** Beginnings of sentences whose first word is the program's name; they are no commands. */
export const sentences =
  /^(account export|on WORD|works|test|prompts|diagnosis|engine|bundle WORD|is|has|takes|since|was) ?/

/** All named commands, with their files. */
export const namedCommands: readonly NamedCommand[] = [
  ...['README.md', ...sourceFiles('docs/*.md')]
    .filter((file) => !file.endsWith('benchmarks.md'))
    .flatMap(inDocs)
    .filter(({ command }) => !sentences.test(command)),
  ...[...sourceFiles('src/**/*.ts'), ...sourceFiles('ui/**/*.{ts,tsx}')]
    .flatMap((file) => [...quotedIn(file), ...completedIn(file)])
    .filter(({ command }) => !sentences.test(command)),
]
