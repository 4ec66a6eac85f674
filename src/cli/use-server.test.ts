/** Servers that commands use: the running one, one for the time, one that ends, one of another machine. */

import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addFakeModel } from '../testing/fake-models.ts'
import { runProgram } from '../testing/run-program.ts'
import { startServedProcess } from '../testing/served-process.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { endless, openTypingTerminal, prompt, type TypingTerminal } from '../testing/typing-terminal.ts'

let data = ''
const terminals: TypingTerminal[] = []
const folders: string[] = []

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'inferd-use-'))
  folders.push(data)
  addFakeModel(data)
})
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.kill()
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function open(words: readonly string[], environment: Readonly<Record<string, string>> = {}): TypingTerminal {
  const terminal = openTypingTerminal([...words, '--data', data], environment)
  terminals.push(terminal)
  return terminal
}

function pipe(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return runProgram([...testedProgram, ...words, '--data', data], { PATH: '/usr/bin:/bin', ...environment })
}

/** Starts a server on the test's data folder, which outlives the server. */
async function serve() {
  const child = Bun.spawn([...testedProgram, 'serve', '--json', '--port', '0', '--data', data], {
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let text = ''
  for await (const bytes of child.stdout) {
    text += new TextDecoder().decode(bytes)
    if (text.includes('"listening"')) break
  }
  return child
}

test('commands that start at the same moment without a server share one', async () => {
  const answers = await Promise.all(['one', 'two', 'three'].map((text) => pipe(['run', 'fake', text])))
  expect(answers).toEqual(['one', 'two', 'three'].map((text) => ({ out: `${text}\n`, error: '', code: 0 })))
  expect(existsSync(join(data, 'control.sock'))).toBe(false)
})

test('a conversation goes on when the command whose server it uses has ended', async () => {
  const first = open(['run', 'fake'])
  await first.until(prompt)
  const second = open(['run', 'fake'])
  await second.until(prompt)
  await second.type('hello\r', prompt)
  await first.type('\u0004', '\u001b[?2004l')
  expect(await first.exited).toBe(0)
  expect(await second.type('still here\r', prompt)).toContain('\nstill here\n')
})

test('a command that ends leaves its server to the answers of others, until Ctrl-C', async () => {
  const first = open(['run', 'fake'])
  await first.until(prompt)
  const second = open(['run', 'fake', endless])
  await second.until('begun')
  await first.type('\u0004', 'another command still uses the server')
  first.type('\u0003', '').catch(() => undefined)
  expect(await first.exited).toBe(0)
  expect(await second.exited).toBe(3)
  expect(second.shown()).toContain('inferd: the server broke off')
})

test('a conversation outlives the end of its server in the middle of an answer', async () => {
  const server = await serve()
  const terminal = open(['run', 'fake'])
  await terminal.until(prompt)
  await terminal.type(`${endless}\r`, '\nbegun')
  server.kill('SIGKILL')
  await terminal.until('the server broke off')
  await server.exited
  const again = await serve()
  expect(await terminal.type('back\r', prompt)).toContain('\nback\n')
  again.kill('SIGTERM')
  await again.exited
})

test('another server is used by its address and a key', async () => {
  await using server = await startServedProcess()
  addFakeModel(server.dataDir)
  const url = server.baseUrl.replace('/v1', '')
  const key = { INFERD_KEY: server.key }
  const none = join(data, 'none')
  const run = (words: string[], environment: Record<string, string>) => pipe([...words, '--data', none], environment)
  expect(await run(['run', 'fake', 'hi', '--url', url], key)).toEqual({ out: 'hi\n', error: '', code: 0 })
  expect(await run(['run', 'fake', 'hi'], { ...key, INFERD_URL: server.baseUrl })).toMatchObject({ out: 'hi\n' })
  expect(await run(['run', 'fakes', 'hi', '--url', url], key)).toMatchObject({ code: 1, out: '' })
  expect(await run(['run', 'fake', 'hi', '--url', url], {})).toMatchObject({
    code: 2,
    error: expect.stringContaining('INFERD_KEY must hold'),
  })
  expect(await run(['run', 'fake', 'hi', '--url', url], { INFERD_KEY: 'wrong' })).toMatchObject({ code: 1 })
  for (const address of ['ftp://x', 'http://me@127.0.0.1:1'])
    expect(await run(['run', 'fake', 'hi', '--url', address], key)).toMatchObject({ code: 2 })
  expect(await run(['run', 'fake', 'hi', '--url', '127.0.0.1:1'], key)).toMatchObject({ code: 3 })
  expect(existsSync(none)).toBe(false)
  const terminal = open(['run', '--url', url], { INFERD_KEY: server.key })
  await terminal.until(prompt)
  const changed = await terminal.type('/model fake\r', prompt)
  expect(changed).toContain('The model is fake.\nOthers here: inferd/starter-chat.\n')
  expect(await terminal.type('hello\r', prompt)).toContain('\nhello\n')
})

test('without a model the loaded one answers, else one of this disk before the starter', async () => {
  expect(await pipe(['run', '--verbose'])).toMatchObject({ code: 2 })
  const server = await serve()
  const terminal = open(['run'])
  expect(await terminal.until(prompt)).toContain('test/fake. /help')
  await pipe(['models', 'load', 'inferd/starter-chat'])
  await pipe(['models', 'unload', 'test/fake'])
  const other = open(['run'])
  expect(await other.until(prompt)).toContain('inferd/starter-chat. /help')
  server.kill('SIGTERM')
  await server.exited
})

test('Ctrl-C ends the wait for a model, and its server', async () => {
  const gate = join(data, 'gate')
  Bun.spawnSync(['mkfifo', gate])
  const file = join(data, 'gated.fake.json')
  writeFileSync(file, JSON.stringify({ gate, needBytes: { host: 1 }, memory: {} })) // the load waits until somebody writes into the gate
  const files = `[[files]]\nrole = "model"\npath = "${file}"\n`
  writeFileSync(join(data, 'models.d', 'gated.toml'), `id = "test/gated"\ntype = "chat"\nengine = "fake"\n${files}`)
  const terminal = open(['run', 'test/gated'])
  await terminal.until('Loading')
  await terminal.type('\u0003', 'inferd: stopped')
  expect(await terminal.exited).toBe(130)
  expect(existsSync(join(data, 'control.sock'))).toBe(false)
})
