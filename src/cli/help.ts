import type { Command, Option } from 'commander'
import { UsageError } from './io.ts'
import { emphasised } from './layout.ts'
import { newCommand } from './options.ts'

/** Command groups in the order of `--help`. */
export const groupsOfHelp = {
  'Serve:': ['serve', 'admin', 'ps', 'logs', 'config'],
  'Use:': ['run', 'transcribe', 'speak', 'embed'],
  'Models:': [
    ...[
      'list',
      'search',
      'pull',
      'import',
      'models',
      'verify',
      'rm',
      'du',
      'gc',
      'catalog',
      'check',
      'endpoints',
      'bundle',
    ],
  ],
  'People and money:': [
    ...['users', 'teams', 'sessions', 'keys', 'limits', 'credit', 'vouchers', 'ledger', 'usage', 'receipt', 'outbox'],
  ],
  'Operation:': [
    'doctor',
    'tls',
    'gpu',
    'backup',
    'restore',
    'webhooks',
    'requests',
    'audit',
    'completion',
    'version',
    'help',
  ],
} as const

/** Examples in `--help`. */
const examples: readonly (readonly [words: string, use: string])[] = [
  ['serve --port 8080', 'serve at another port'],
  ['run gpt-oss-20b', 'talk to a model'],
  ['pull gpt-oss-20b', 'download a model of the catalog'],
  ['import ./my-model.gguf --id me/my-model', 'serve a model file of this disk'],
  ['keys create --name laptop', 'make a key for a program'],
  ['users create ada@example.org', 'make an account, then: credit ada@example.org 20'],
  ['admin link', 'sign in to the pages as the operator'],
  ['doctor', 'see whether all is well'],
]

/** Sorts the program's commands into groups, and adds examples below them. */
export function arrangeHelp(program: Command): void {
  const order = Object.entries(groupsOfHelp).flatMap(([group, names]) => names.map((name) => ({ group, name })))
  for (const { group, name } of order) program.commands.find((each) => each.name() === name)?.helpGroup(group)
  const width = Math.max(...examples.map(([words]) => words.length))
  const lines = examples.map(([words, use]) => `  inferd ${words.padEnd(width)}  ${use}`)
  const settings = 'Settings, their environment variables and defaults: inferd serve --help'
  program.addHelpText(
    'after',
    `\n${emphasised('Examples:')}\n${lines.join('\n')}\n\nHelp of a command: inferd help keys create\n${settings}`,
  )
}

/** Creates `help`, which shows the help of any command: `help keys create`. */
export function helpCommand(): Command {
  const command = newCommand('help', 'print the help of a command').argument('[command...]', 'such as keys create')
  return command.action((words: string[]) => {
    let found = command.parent ?? command
    for (const word of words) {
      const next = found.commands.find((each) => each.name() === word)
      if (next === undefined) throw new UsageError(`unknown command '${words.join(' ')}'`)
      found = next
    }
    found.help()
  })
}

/** Returns a command's name as the list of commands shows it. */
function termOf(command: Command): string {
  return `${command.name()} ${command.usage().replace(/\[(options|command)\]/g, '')}`.replaceAll(/ +/g, ' ').trim()
}

const choices = /<([^>]*\|[^>]*)>/

/** Formats of help texts. Choices move into the description to keep flags short. */
export const helpTexts = {
  subcommandTerm: termOf,
  styleTitle: emphasised,
  optionTerm: ({ flags }: Option) => flags.replace(choices, '<choice>'),
  optionDescription({ flags, description, defaultValue }: Option): string {
    const [, given] = choices.exec(flags) ?? []
    const initial = typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : ''
    return `${description}${given === undefined ? '' : `: ${given.replaceAll('|', ', ')}`}${initial}`
  },
}
