import type { Argument, Command } from 'commander'
import { buildProgram } from '../../src/cli/cli.ts'
import { groupsOfHelp, helpTexts } from '../../src/cli/help.ts'
import { silentIo } from '../../src/testing/silent-io.ts'
import { asSentence, code, markdownTable } from './markdown.ts'

/** Options that every command has. */
const common = ['--data', '--config', '--json']

/** Returns docs/reference/commands.md: the commands of src/cli with their arguments and options. */
export function commandsPage(): string {
  const program = buildProgram(silentIo, async () => undefined)
  const sections = Object.entries(groupsOfHelp).map(([group, names]) => {
    const rows = names.flatMap((name) =>
      program.commands.filter((each) => each.name() === name).flatMap((each) => rowsOf(each, 'inferd')),
    )
    return `## ${group.replace(':', '')}\n\n${markdownTable(['Command', 'What it does', 'Options'], rows)}\n`
  })
  return `# Commands

Each command with its own options. Every command also takes \`--data PATH\`, \`--config FILE\`, \`--json\` and \`--help\`. \`inferd serve\`
and \`inferd config\` take all [settings](settings.md) as flags. [Exit codes](../operations.md#commands).

${sections.join('\n')}`
}

function rowsOf(command: Command, before: string): string[][] {
  const words = `${before} ${command.name()}`
  const commands = command.commands.filter((each) => each.name() !== 'help')
  const below = commands.flatMap((each) => rowsOf(each, words))
  // A group with a `--json` of its own shows something itself. Others only contain their commands.
  if (commands.length > 0 && !command.options.some(({ long }) => long === '--json')) return below
  const isSettings = command.name() === 'serve' || command.name() === 'config'
  const options = command.options.filter(({ long, hidden }) => !hidden && !common.includes(long ?? ''))
  const described = isSettings
    ? ['all [settings](settings.md)']
    : options.map((option) => `${code(option.flags)}: ${helpTexts.optionDescription(option)}`)
  const usage = command.registeredArguments.map(wordOf)
  const row = [code([words, ...usage].join(' ')), asSentence(command.description()), described.join('; ')]
  return [row, ...below]
}

function wordOf(argument: Argument): string {
  const word = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${word}>` : `[${word}]`
}
