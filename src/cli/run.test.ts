/** `inferd run` and the like as a person and a script use them: a real terminal, real pipes, real servers. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addFakeModel } from '../testing/fake-models.ts'
import { toPdf } from '../testing/pdfs.ts'
import { runProgram } from '../testing/run-program.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { endless, openTypingTerminal, prompt, type TypingTerminal } from '../testing/typing-terminal.ts'

let server: ServedProcess
/** Folder without a server. */
let alone = ''
const terminals: TypingTerminal[] = []

beforeAll(async () => {
  server = await startServedProcess()
  addFakeModel(server.dataDir)
  alone = mkdtempSync(join(tmpdir(), 'inferd-run-'))
  addFakeModel(alone)
})

afterAll(async () => {
  for (const terminal of terminals) terminal.kill()
  await server[Symbol.asyncDispose]()
  rmSync(alone, { recursive: true, force: true })
})

function open(...words: string[]): TypingTerminal {
  const terminal = openTypingTerminal([...words, '--data', server.dataDir])
  terminals.push(terminal)
  return terminal
}

/** Runs a command with text in its input, or none. */
function pipe(words: readonly string[], { input, data = server.dataDir }: { input?: string; data?: string } = {}) {
  return runProgram([...testedProgram, ...words, '--data', data], { PATH: '/usr/bin:/bin' }, input)
}

test('a conversation at a terminal: styles, several lines, commands, a stopped answer, history, an end', async () => {
  const terminal = open('run', 'fake')
  await terminal.until(prompt)
  expect(await terminal.type('hello **bold** world\r', prompt)).toContain('\nhello bold world\n')
  expect(terminal.shown()).toContain('hello \u001b[1mbold\u001b[22m world')
  await terminal.type('"""first\r', '... ')
  expect(await terminal.type('second"""\r', prompt)).toContain('\nfirst\nsecond\n')
  expect(await terminal.type('\u001b[200~pasted\rlines\u001b[201~\r', prompt)).toContain('\npasted\nlines\n')
  expect(await terminal.type('/help\r', prompt)).toContain('/system [TEXT]')
  expect(await terminal.type('/hlep\r', prompt)).toContain('there is no command /hlep (did you mean /help?)')
  expect(await terminal.type('/set temperature 0.5\r', prompt)).toContain('temperature  0.5')
  expect(await terminal.type('/system be brief\r', prompt)).toContain('System text: be brief')
  const request = await terminal.type('{"script":[{"echoRequest":true}]}\r', prompt)
  const sent = request.replaceAll(/\s/g, '')
  for (const part of ['"temperature":0.5', '"bebrief"', '"helloboldworld"', '"first\\nsecond"'])
    expect(sent).toContain(part)
  await terminal.type(`${endless}\r`, '\nbegun')
  expect(await terminal.type('\u0003', prompt)).toContain('stopped')
  await terminal.type(`${endless.replace('begun', 'again')}\r`, '\nagain')
  const ahead = await terminal.type('typed ahead\r\u0003', prompt)
  expect(ahead.split('stopped')[0]).not.toContain('typed')
  expect(ahead).toContain('stopped\n\n>>> typed ahead\ntyped ahead\n')
  expect(await terminal.type('\u001b[A\u001b[A\u001b[A\u001b[A\r', prompt)).toContain(
    '{"script":[{"echoRequest":true}]}',
  )
  terminal.kill()
})

test('Ctrl-D ends a conversation, and the next one offers its lines again', async () => {
  const first = open('run', 'fake')
  await first.until(prompt)
  await first.type('remember this\r', prompt)
  await first.type('\u0004', '\u001b[?2004l')
  expect(await first.exited).toBe(0)
  const second = open('run', 'fake')
  await second.until(prompt)
  expect(await second.type('\u001b[A\r', prompt)).toContain('\nremember this\n')
  await second.type('/exit\r', '\u001b[?2004l')
  expect(await second.exited).toBe(0)
  const third = open('run', 'fake', '--no-history')
  await third.until(prompt)
  expect(await third.type('a secret\u001b[A\r', prompt)).toContain('\na secret\n')
  await third.type('\u0004', '\u001b[?2004l')
  expect(readFileSync(join(server.dataDir, 'terminal-history'), 'utf8')).not.toContain('a secret')
})

test('one Ctrl-C drops what is typed or says how to end, the next one ends', async () => {
  const terminal = open('run', 'fake')
  await terminal.until(prompt)
  await terminal.type('half a', 'half a')
  await terminal.type('\u0003', prompt)
  expect(await terminal.type('\u0003', prompt)).toContain('Ctrl-C again')
  await terminal.type('\u0003', '\u001b[?2004l')
  expect(await terminal.exited).toBe(0)
})

test('a message takes pictures, documents and texts by their paths', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-files-'))
  copyFileSync(join(import.meta.dir, '..', 'testing', 'picture-fixtures', 'rgb.png'), join(folder, 'cat.png'))
  writeFileSync(join(folder, 'notes.txt'), 'milk and bread\n')
  const terminal = open('run', 'fake')
  await terminal.until(prompt)
  const seen = await terminal.type(`what is ${join(folder, 'cat.png')}\r`, prompt)
  expect(seen).toContain('Added cat.png.')
  expect(seen).toMatch(/\[image 48x32\n/)
  writeFileSync(join(folder, 'plan.pdf'), toPdf([{ lines: ['one'] }, { lines: ['quincunx'] }]))
  expect(await terminal.type(`read ${join(folder, 'plan.pdf')}\r`, prompt)).toContain('[page 2]\nquincunx')
  expect(await terminal.type(`/file ${join(folder, 'notes.txt')}\r`, prompt)).toContain('Added notes.txt.')
  expect(await terminal.type('read it\r', prompt)).toContain('milk and bread')
  terminal.kill()
  const { out } = await pipe(['run', 'fake', 'read', '--file', join(folder, 'notes.txt')])
  expect(out).toContain('milk and bread')
  const document = await pipe(['run', 'fake', 'read', '--file', join(folder, 'plan.pdf')])
  expect(document.out).toContain('[page 2]\nquincunx')
  rmSync(folder, { recursive: true })
})

test('one question at a terminal shows thoughts and styles, and Ctrl-C ends it with 130', async () => {
  const thinking = open('run', 'fake', '{"script":[{"reasoning":"let me see"},{"text":"**yes**\\n"}]}', '--verbose')
  expect(await thinking.exited).toBe(0)
  expect(thinking.shown()).toContain('\u001b[2mlet me\u001b[22m\u001b[2m see\u001b[22m\r\n\r\n')
  expect(thinking.shown()).toContain('\u001b[1myes\u001b[22m\r\n')
  expect(thinking.shown()).toMatch(/5 tokens read, 2 written, /)
  const plain = openTypingTerminal(['run', 'fake', 'so **it** is', '--data', server.dataDir], { NO_COLOR: '1' })
  expect(await plain.exited).toBe(0)
  expect(plain.shown()).toContain('so **it** is\r\n')
  const stopped = open('run', 'fake', endless)
  await stopped.until('begun')
  await stopped.type('\u0003', 'inferd: stopped')
  expect(await stopped.exited).toBe(130)
})

test('in a pipe there is the answer alone, as it came', async () => {
  expect(await pipe(['run', 'fake', 'say', '**this**'])).toEqual({ code: 0, out: 'say **this**\n', error: '' })
  expect(await pipe(['run', 'fake'], { input: 'from a pipe\n' })).toMatchObject({ code: 0, out: 'from a pipe\n' })
  expect(await pipe(['run', 'fake', 'look:'], { input: 'a\nb\n' })).toMatchObject({ out: 'look:\n\na\nb\n' })
  const thinking = '{"script":[{"reasoning":"hm"},{"text":"yes"}]}'
  expect(await pipe(['run', 'fake', thinking])).toMatchObject({ code: 0, out: 'yes\n' })
  const { out } = await pipe(['run', 'fake', 'hi', '--json', '--set', 'max-tokens=5'])
  expect(JSON.parse(out)).toMatchObject({ object: 'chat.completion', choices: [{ message: { content: 'hi' } }] })
})

test('a command ends with its reader, and says that a full disk keeps its answer', async () => {
  const shell = async (line: string, environment = {}) => {
    const words = [...testedProgram, 'run', 'fake', '--data', server.dataDir]
    const command = ['bash', '-c', line, 'bash', ...words]
    const { out, error } = await runProgram(command, { PATH: '/usr/bin:/bin', ...environment })
    return { out, error }
  }
  const script = '{"script":[{"repeat":1000000,"script":[{"text":"line\\n"},{"delayMs":1}]}]}'
  expect(await shell(`"$@" '${script}' | head -1; echo "\${PIPESTATUS[0]}"`)).toEqual({ out: 'line\n0\n', error: '' })
  const { out, error } = await shell('"$@" hello > /dev/full; echo "$?"')
  expect({ out, error }).toEqual({ out: '3\n', error: expect.stringContaining('the output cannot be written: ENOSPC') })
  const proxy = { http_proxy: 'http://127.0.0.1:1' }
  expect(await shell('"$@" hello', proxy)).toEqual({ out: 'hello\n', error: '' })
})

test('failures say the next step, by the exit codes of all commands', async () => {
  expect(await pipe(['run', 'fake'])).toMatchObject({
    code: 2,
    out: '',
    error: expect.stringContaining('nothing to ask'),
  })
  expect(await pipe(['run', 'fakes', 'hi'])).toMatchObject({
    code: 1,
    error: expect.stringContaining('there is no model fakes; '),
  })
  const missing = await pipe(['run', 'gpt-oss-20b', 'hi'])
  expect(missing).toMatchObject({ code: 1, error: expect.stringContaining('pull ') })
  expect(await pipe(['run', 'fake', 'hi', '--set', 'heat=1'])).toMatchObject({ code: 2 })
  const failing = '{"script":[{"text":"a"},{"error":{"kind":"unavailable","message":"Too hot.","code":"hot"}}]}'
  expect(await pipe(['run', 'fake', failing])).toMatchObject({ out: 'a\n', error: 'inferd: Too hot\n' })
  expect(await pipe(['transcribe', '/no/such.wav'])).toMatchObject({ code: 1 })
  expect(await pipe(['speak', 'x', '-o', 'x.txt'])).toMatchObject({ code: 2 })
  expect(await pipe(['embed'])).toMatchObject({ code: 2 })
})

test('without a server one runs for the time of the command; its key is kept, and replaced after its end', async () => {
  const first = await pipe(['run', 'fake', 'hello'], { data: alone })
  expect(first).toEqual({ code: 0, out: 'hello\n', error: '' })
  expect(existsSync(join(alone, 'control.sock'))).toBe(false)
  const key = readFileSync(join(alone, 'terminal.key'), 'utf8')
  const keys = async () => JSON.parse((await pipe(['keys', 'list', '--json'], { data: alone })).out)
  expect(await keys()).toMatchObject([{ name: 'terminal of this machine', revokedAtMs: null }])
  expect((await pipe(['run', 'fake', 'again'], { data: alone })).out).toBe('again\n')
  expect(readFileSync(join(alone, 'terminal.key'), 'utf8')).toBe(key)
  const [{ id }] = await keys()
  await pipe(['keys', 'revoke', id], { data: alone })
  expect((await pipe(['run', 'fake', 'still'], { data: alone })).out).toBe('still\n')
  expect(readFileSync(join(alone, 'terminal.key'), 'utf8')).not.toBe(key)
})

test('a translation is for a model that translates, and takes neither speakers nor a language', async () => {
  const file = join(import.meta.dir, '../engines/speech/fixtures/two-sentences.wav')
  expect(await pipe(['transcribe', file, '--translate'])).toMatchObject({
    code: 1,
    error: expect.stringContaining("does not translate. Use one that does: GET /models shows 'translation'"),
  })
  for (const other of [['--speakers'], ['--language', 'de']])
    expect(await pipe(['transcribe', file, '--translate', ...other])).toMatchObject({ code: 2 })
})

test('a text becomes speech, speech a text, and texts vectors', async () => {
  const file = join(alone, 'spoken.wav')
  const sourced = testedProgram.join(' ')
  const here = `--data ${server.dataDir}`
  expect(await pipe(['speak', 'three red birds', '-o', file])).toEqual({ code: 0, out: '', error: '' })
  expect(readFileSync(file).subarray(0, 4).toString()).toBe('RIFF')
  const text = await pipe(['transcribe', file])
  expect(text).toMatchObject({ code: 0, error: '' })
  expect(text.out.trim()).not.toBe('')
  expect((await pipe(['transcribe', file, '--format', 'srt'])).out).toContain(' --> ')
  const line = `${sourced} speak hi -o - --format flac ${here} | ${sourced} transcribe - ${here}`
  const { out } = await runProgram(['bash', '-c', line], { PATH: '/usr/bin:/bin' })
  expect(out.trim()).not.toBe('')
  expect(await pipe(['speak', 'x', '-o', file, '--speed', 'fast'])).toMatchObject({ code: 2 })
  expect(await pipe(['transcribe', alone])).toMatchObject({ code: 1, error: expect.stringContaining('is a folder') })
  const one = JSON.parse((await pipe(['embed', 'hello', 'there'])).out)
  expect(one.every(Number.isFinite)).toBe(true)
  const lines = (await pipe(['embed', '-', '--json'], { input: 'hello there\n\nbye\n' })).out.trim().split('\n')
  const rows = lines.map((line) => JSON.parse(line))
  expect(rows.map((row) => row.text)).toEqual(['hello there', 'bye'])
  expect(rows[0].embedding).toHaveLength(one.length)
  // More than one request takes.
  const many = Array.from({ length: 300 }, (_, index) => `text ${index}`)
  const vectors = await pipe(['embed', '--json'], { input: many.join('\n') })
  const texts = vectors.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).text)
  expect(texts).toEqual(many)
})
