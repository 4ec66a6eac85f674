import { expect, test } from 'bun:test'
import { keptName, printable, printableLine, visibleLinePattern, withoutUnseen } from './printable.ts'

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

test('blanks without a width and tags are shown, joiners of emoji and scripts stay', () => {
  expect(printable('a\u200bb\ufeffc\u00add\u3164')).toBe('a\\u200bb\\ufeffc\\u00add\\u3164')
  expect(printable('a\u{e0041}')).toBe('a\\udb40\\udc41')
  expect(printable('👩‍💻 ❤️ می‌خواهم')).toBe('👩‍💻 ❤️ می‌خواهم')
})

const empty = [
  '',
  ' ',
  '\u00a0\u3000',
  '\u200b',
  '\u2060\ufeff',
  '\u3164',
  '\u2800\u2800',
  '\u202e',
  '\u0301',
  '\u200d\ufe0f',
  '\u{1d159}\u{1d173}',
  '\u{1bca0}',
]

test('text of which nothing is seen is known as such', () => {
  const pattern = new RegExp(visibleLinePattern)
  for (const text of [...empty, '\u{e0041}', '\u{f0000}', '\ue000', '\ud800', 'a\nb', 'a\u2028b', 'a\u0007']) {
    expect([JSON.stringify(text), pattern.test(text)]).toEqual([JSON.stringify(text), false])
  }
  for (const text of ['a', ' a ', '-', '漢', '🙂', '\u202ea', 'é', '👩‍💻', '.']) expect(pattern.test(text)).toBe(true)
})

test('what is not seen is left out, but for blanks between other characters', () => {
  for (const text of empty) expect(withoutUnseen(text)).toBe('')
  expect(withoutUnseen('\u200b a b\u2003 c \u2800')).toBe('a b\u2003 c')
  expect(withoutUnseen('漢字🙂é')).toBe('漢字🙂é')
})

test('a name is kept without what misleads', () => {
  expect(keptName(' in\u200bvoice\u202egpj\u{e0041} ')).toBe('invoicegpj')
  expect(keptName('Zoe\u0308 👩‍💻')).toBe('Zoë 👩‍💻')
})
