import { expect, test } from 'bun:test'
import { printable, printableLine } from './printable.ts'

test('control characters are shown as escapes, line ends and tabs stay', () => {
  expect(printable('a\x1b[31mred\x07\n\tb\x7f\x9b2J\r')).toBe('a\\u001b[31mred\\u0007\n\tb\\u007f\\u009b2J\\u000d')
  expect(printable('a\r\n\rb\r\n')).toBe('a\r\n\\u000db\r\n')
  expect(printable('plain, ümläut, 漢字, 🙂')).toBe('plain, ümläut, 漢字, 🙂')
})

test('marks that reorder text are shown too', () => {
  expect(printable('invoice\u202egpj.exe')).toBe('invoice\\u202egpj.exe')
})

test('one line stays one line', () => {
  expect(printableLine('a\nb\tc\r\n')).toBe('a\\u000ab\\u0009c\\u000d\\u000a')
})

test('JSON text keeps its meaning', () => {
  const value = { text: 'a\x9b2J\x7f\u2028' }
  const shown = printable(JSON.stringify(value))
  expect(shown).not.toContain('\x9b')
  expect(JSON.parse(shown)).toEqual(value)
})
