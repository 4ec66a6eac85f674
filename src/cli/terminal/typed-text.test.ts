/** Typed and pasted text: messages of several lines, commands, settings and the history. */
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settingsText, withSetting } from './answer-settings.ts'
import { chatHelp, readTyped } from './chat-command.ts'
import { HistoryFile, keptLines } from './history-file.ts'
import { PastedText } from './pasted-text.ts'
import { TypedLines } from './typed-lines.ts'

test.each([
  ['one line', ['hello'], ['hello']],
  ['quotes around lines', ['"""a', 'b', 'c"""'], ['a\nb\nc']],
  ['quotes on lines of their own', ['"""', 'a', '', 'b', '"""'], ['a\n\nb']],
  ['quotes on one line', ['"""a"""', 'b'], ['a', 'b']],
  ['a backslash at the end', ['a\\', 'b', 'c'], ['a\nb', 'c']],
  ['pasted lines', ['a␊b'], ['a\nb']],
])('%s make messages', (_, lines, messages) => {
  const typed = new TypedLines()
  expect(lines.flatMap((line) => typed.add(line) ?? [])).toEqual(messages)
  expect(typed.isOpen).toBe(false)
})

test('an incomplete message is open until it is dropped', () => {
  const typed = new TypedLines()
  expect(typed.add('"""a')).toBeUndefined()
  expect(typed.isOpen).toBe(true)
  typed.clear()
  expect(typed.isOpen).toBe(false)
  expect(typed.add('b')).toBe('b')
})

test('pasted line ends do not send a message, wherever the terminal cuts the text', () => {
  const keys = 'x\u001b[200~one\r\ntwo\tthree\u001b[201~\r\u001b[A'
  for (let size = 1; size <= keys.length; size++) {
    const pasted = new PastedText()
    let seen = ''
    for (let at = 0; at < keys.length; at += size) seen += pasted.filter(keys.slice(at, at + size))
    expect(seen).toBe('xone␊two  three\r\u001b[A')
  }
})

test('a long pasted text is shown by a sign, and sent whole', () => {
  const pasted = new PastedText()
  const long = 'a line\n'.repeat(1_500)
  const line = pasted.filter(`see \u001b[200~${long}\u001b[201~ and \u001b[200~${'x'.repeat(3_000)}\u001b[201~`)
  expect(line).toBe('see [pasted text 1, 1,501 lines] and [pasted text 2, 1 line]')
  expect(pasted.expand(line)).toBe(`see ${long.replaceAll('\n', '␊')} and ${'x'.repeat(3_000)}`)
  expect(pasted.expand('[pasted text 3, 1 line]')).toBe('[pasted text 3, 1 line]')
})

test('a word after a slash is a command, a path is not', () => {
  expect(readTyped('/help')).toEqual({ kind: 'command', name: 'help', argument: '' })
  expect(readTyped(' /system  be\nbrief ')).toEqual({ kind: 'command', name: 'system', argument: 'be\nbrief' })
  expect(readTyped('/bye')).toMatchObject({ name: 'exit' })
  expect(readTyped('/hlep')).toEqual({ kind: 'unknown', word: 'hlep', hint: 'help' })
  expect(readTyped('/constructor')).toMatchObject({ kind: 'unknown' })
  for (const text of ['hello', '/home/ada/cat.png what is it?', '/cat.png', '1 / 2'])
    expect(readTyped(text)).toEqual({ kind: 'message', text })
})

test('the help of a conversation fits a terminal of 80 columns', () => {
  for (const line of `${chatHelp()}${settingsText({})}`.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('settings are set, shown, taken back, and checked', () => {
  const set = withSetting(withSetting({}, 'temperature', '0.2'), 'think', 'none')
  expect(set).toEqual({ temperature: 0.2, reasoning_effort: 'none' })
  expect(settingsText(set)).toContain('  temperature  0.2 ')
  expect(withSetting(set, 'think', '-')).toEqual({ temperature: 0.2 })
  expect(() => withSetting({}, 'temprature', '1')).toThrow('(did you mean "temperature"?)')
  expect(() => withSetting({}, 'seed', 'x')).toThrow('seed takes a whole number')
})

test('the history is private, short, without repetitions, and missing where it cannot be written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-history-'))
  const path = join(folder, 'history')
  const history = new HistoryFile(path)
  expect(history.read()).toEqual([])
  for (const line of ['one', 'two', 'two', ' ', 'three']) history.add(line)
  expect(new HistoryFile(path).read()).toEqual(['three', 'two', 'one'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  writeFileSync(path, Array.from({ length: 2 * keptLines + 1 }, (_, index) => `line ${index}\n`).join(''))
  expect(new HistoryFile(path).read()).toHaveLength(keptLines)
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(keptLines + 1)
  history.add('x'.repeat(20_000))
  expect(readFileSync(path, 'utf8')).not.toContain('xx')
  writeFileSync(path, `one\n${'x'.repeat(20_000)}\n`)
  expect(new HistoryFile(path).read()).toEqual(['one'])
  rmSync(folder, { recursive: true })
  history.add('four')
  expect(history.read()).toEqual([])
})
