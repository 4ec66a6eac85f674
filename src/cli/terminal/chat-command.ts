import { nearest } from '../../core/nearest.ts'

/** Commands within a conversation, as `/help` lists them. */
const commands = {
  help: { argument: '', use: 'show this' },
  clear: { argument: '', use: 'begin a new conversation' },
  system: { argument: '[TEXT]', use: 'show or set the system text; - removes it' },
  set: { argument: '[NAME VALUE]', use: 'show or change how it answers; - takes it back' },
  file: { argument: 'PATH', use: 'add a picture, document or text; or name its path' },
  again: { argument: '', use: 'answer the last message once more' },
  model: { argument: '[NAME]', use: 'show the model, or go on with another' },
  exit: { argument: '', use: 'end; so does Ctrl-D' },
} as const satisfies Record<string, { readonly argument: string; readonly use: string }>

export type ChatCommandName = keyof typeof commands

/** Other names, known from similar programs. */
const otherNames: Readonly<Record<string, ChatCommandName>> = {
  '?': 'help',
  bye: 'exit',
  quit: 'exit',
  new: 'clear',
  image: 'file',
  load: 'file',
  retry: 'again',
}

type Typed =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: ChatCommandName; readonly argument: string }
  | { readonly kind: 'unknown'; readonly word: string; readonly hint: string | undefined }

/** Returns what a typed text is. A path at its beginning, which has a further slash or a dot, is part of a message. */
export function readTyped(text: string): Typed {
  const [, word, argument = ''] = /^\s*\/(\S*)\s*(.*)$/s.exec(text) ?? []
  if (word === undefined || /[/.\\]/.test(word)) return { kind: 'message', text }
  const name = isCommand(word) ? word : Object.hasOwn(otherNames, word) ? otherNames[word] : undefined
  if (name === undefined) return { kind: 'unknown', word, hint: nearest(word, Object.keys(commands)) }
  return { kind: 'command', name, argument: argument.trim() }
}

function isCommand(word: string): word is ChatCommandName {
  return Object.hasOwn(commands, word)
}

/** Returns the words that a tab completes, such as `/help`. */
export function commandWords(): string[] {
  return Object.keys(commands).map((name) => `/${name}`)
}

/** Returns the text of `/help`. */
export function chatHelp(): string {
  const rows = Object.entries(commands).map(
    ([name, { argument, use }]) => [`/${name} ${argument}`.trimEnd(), use] as const,
  )
  const keys = [
    ['"""', 'around a message of several lines; or end a line with \\'],
    ['Ctrl-C', 'stops an answer, then ends'],
    ['Up, Down', 'former lines'],
  ] as const
  const width = Math.max(...rows.map(([term]) => term.length))
  const lines = (list: readonly (readonly [string, string])[]) =>
    list.map(([term, use]) => `  ${term.padEnd(width)}  ${use}\n`).join('')
  return `${lines(rows)}\n${lines(keys)}`
}
