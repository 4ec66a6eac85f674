/** Every command named in the README, the docs, a page or a message exists, with the flags and arguments used there. */
import { expect, test } from 'bun:test'
import type { Command } from 'commander'
import { namedCommands, quotedIn, readSource, sentences, sourceFiles } from '../testing/named-commands.ts'
import { silentIo } from '../testing/silent-io.ts'
import { buildProgram } from './cli.ts'

/** Returns why the words are no valid command; undefined if they are one. */
function problemOf(command: string): string | undefined {
  let place: Command = buildProgram(silentIo, async () => undefined)
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
  // `endpoints` is both a group and a command that takes an argument.
  if (isGroup && first?.startsWith('-') === false && place.name() !== 'endpoints')
    return `${place.name()} has no command ${first}`
  return undefined
}

/** Commands for another machine than the server that shows them. */
const forOtherMachines = ['bundle create MODEL --to FOLDER']

test('texts quote commands as edges complete them; pages make theirs complete', () => {
  const unseen = sourceFiles('src/**/*.ts').flatMap((file) =>
    [...readSource(file).matchAll(/"inferd ([a-z]+)[^"'`\n]*"/g)].map(([text]) => `${file}: ${text}`),
  )
  expect(unseen).toEqual([])
  const bare = sourceFiles('ui/**/*.{ts,tsx}')
    .flatMap(quotedIn)
    .filter(({ command }) => !sentences.test(command) && !forOtherMachines.includes(command))
  expect(bare).toEqual([])
})

test('every command that is named exists, with its flags', () => {
  const problems = namedCommands.flatMap(({ file, command }) => {
    const problem = problemOf(command)
    return problem === undefined ? [] : `${file}: inferd ${command}: ${problem}`
  })
  expect(problems).toEqual([])
  // Guards against a search that finds nothing.
  expect(namedCommands.length).toBeGreaterThan(150)
  for (const file of ['README.md', 'docs/operations.md', 'src/cli/problem-text.ts', 'ui/texts/en/get-model.ts'])
    expect(namedCommands.some((each) => each.file === file)).toBe(true)
})
