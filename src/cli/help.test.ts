import { expect, test } from 'bun:test'
import { runCommand } from '../testing/run-cli.ts'
import { groupsOfHelp } from './help.ts'

const run = (...words: string[]) => runCommand(words, {})

test('help groups all commands and has examples', async () => {
  const { code, out } = await run('--help')
  expect(code).toBe(0)
  for (const [group, names] of Object.entries(groupsOfHelp)) {
    const [, block = ''] = out.split(`\n${group}\n`)
    for (const name of names) expect(block.split('\n\n')[0]).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'))
  }
  expect(out).not.toContain('\nCommands:\n')
  expect(out).toContain('\nExamples:\n  inferd serve --port 8080 ')
  expect((await run('help')).out).toBe(out)
})

test('every command has help of its own, by `help`, by --help and by -h', async () => {
  const { out: script } = await run('completion', 'bash')
  const paths = [...script.matchAll(/^ +" ([^"|]+)"\) list=/gm)].map(([, path = '']) => path)
  expect(paths).toContain('keys create')
  for (const path of paths) {
    const words = path.split(' ')
    const { code, out } = await run('help', ...words)
    expect({ path, code }).toEqual({ path, code: 0 })
    expect(out).toStartWith(`Usage: inferd ${path} `)
    expect((await run(...words, '--help')).out).toBe(out)
    expect((await run(...words, '-h')).out).toBe(out)
  }
  for (const words of [['bogus'], ['keys', 'bogus']]) {
    const error = `inferd: unknown command '${words.join(' ')}'\n`
    expect(await run('help', ...words)).toEqual({ code: 2, out: '', error })
  }
})
