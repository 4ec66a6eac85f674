/** Conversations in terminals of every kind, and their ends. */

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { addFakeModel } from '../../testing/fake-models.ts'
import { type ServedProcess, startServedProcess } from '../../testing/served-process.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import {
  endless,
  openTerminal,
  openTypingTerminal,
  prompt,
  type TypingTerminal,
} from '../../testing/typing-terminal.ts'

let server: ServedProcess
const terminals: TypingTerminal[] = []

beforeAll(async () => {
  server = await startServedProcess()
  addFakeModel(server.dataDir)
})
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.kill()
})
afterAll(() => server[Symbol.asyncDispose]())

const words = () => ['run', 'test/fake', '--data', server.dataDir]

function open(environment: Readonly<Record<string, string>> = {}): TypingTerminal {
  const terminal = openTypingTerminal(words(), environment)
  terminals.push(terminal)
  return terminal
}

/** Opens a shell, with a command in it. */
async function openShell(): Promise<TypingTerminal> {
  const terminal = openTerminal(['sh', '-i'], { PS1: 'shell$ ' })
  terminals.push(terminal)
  await terminal.until('shell$ ')
  return terminal
}

const commandLine = () => [...testedProgram, ...words()].join(' ')

test('Ctrl-Z gives the terminal to the shell, and fg takes it back', async () => {
  const terminal = await openShell()
  await terminal.type(`${commandLine()}\r`, prompt)
  await terminal.type('half\u001a', 'shell$ ')
  expect(await terminal.type('stty -a\r', 'shell$ ')).toMatch(/ icanon .* echo /)
  await terminal.type('fg\r', '>>> half')
  expect(await terminal.type(' a word\r', prompt)).toContain('\nhalf a word\n')
  await terminal.type('\u0004', 'shell$ ')
  expect(await terminal.type('stty -a\r', 'shell$ ')).toMatch(/ icanon .* echo /)
})

test('a terminal without control sequences gets none', async () => {
  const terminal = open({ TERM: 'dumb' })
  await terminal.until('>>> ')
  expect(await terminal.type('so **it** is\r', '>>> ')).toContain('\nso **it** is\n')
  await terminal.type('\u0004', '\n')
  expect(await terminal.exited).toBe(0)
  expect(terminal.shown()).not.toContain('\u001b')
})

test('an answer is as wide as the terminal, which changes', async () => {
  const terminal = open()
  await terminal.until(prompt)
  terminal.resize(20)
  const text = 'some words of a longer answer'
  expect(await terminal.type(`${text}\r`, prompt)).toContain('\nsome words of a\nlonger answer\n')
})

test('after Ctrl-D the answer is written to its end, and Ctrl-C stops it', async () => {
  const terminal = open()
  await terminal.until(prompt)
  await terminal.type(`${endless}\r`, '\nbegun')
  await terminal.type('\u0004\u0003', 'stopped')
  expect(await terminal.exited).toBe(0)
})

test('a closed terminal ends the conversation', async () => {
  const idle = open()
  await idle.until(prompt)
  idle.hangUp()
  // The signal or the end of the input comes first.
  expect([0, 129]).toContain(await idle.exited)
  const busy = open()
  await busy.until(prompt)
  await busy.type(`${endless}\r`, '\nbegun')
  busy.kill('SIGHUP')
  expect(await busy.exited).toBe(129)
  expect(busy.shown()).toContain('\u001b[?2004l')
})

test('a large pasted text is sent at once', async () => {
  const terminal = open()
  await terminal.until(prompt)
  const pasted = `${'lorem ipsum '.repeat(80_000)}end`
  await terminal.type(`\u001b[200~${pasted}\u001b[201~ {"script"}`, '{"script"}')
  expect(terminal.shown()).toContain('[pasted text 1, 1 line]')
  expect(await terminal.type('\r', prompt)).toContain('end {"script"}')
})

test('a file that no model reads is named only, and a message that failed can be sent again', async () => {
  const terminal = open()
  await terminal.until(prompt)
  const asked = await terminal.type(`what does ${process.execPath} do\r`, prompt)
  expect(asked).toContain('Only its name is sent.')
  expect(asked).toContain('\nwhat does ')
  const failing = '{"script":[{"error":{"kind":"unavailable","message":"Too hot.","code":"hot"}}]}'
  expect(await terminal.type(`${failing}\r`, prompt)).toContain('inferd: Too hot')
  expect(await terminal.type('/again\r', prompt)).toContain('inferd: Too hot')
  expect(await terminal.type('/model\r', prompt)).toContain('Others here: inferd/starter-chat.')
})

test('a long wait for the first word is shown, and erased by it', async () => {
  const terminal = open()
  await terminal.until(prompt)
  await terminal.type(`${endless.replace('[', '[{"waitForCancel":true},')}\r`, 'Waiting  1 s')
  expect(await terminal.type('\u0003', prompt)).toStartWith('stopped\n')
})
