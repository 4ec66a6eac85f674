import { expect, test } from 'bun:test'
import { translatePattern } from './translate-pattern.ts'

const noLimits = { least: 0, most: undefined }

/** A translated pattern as this runtime reads it: it is about the JSON text of a string, between the quotes. */
function matcher(pattern: string): (text: string) => boolean {
  const translated = translatePattern(pattern, noLimits)
  if ('problem' in translated) throw new Error(translated.problem)
  const regex = new RegExp(translated.pattern.replace(/\\U([0-9A-F]{8})/g, '\\u{$1}'), 'u')
  return (text) => regex.test(JSON.stringify(text).slice(1, -1))
}

test.each<[string, readonly string[], readonly string[]]>([
  ['^[a-z]+$', ['a', 'zz'], ['', 'A', 'a1']],
  ['^a', ['a', 'abc'], ['ba', '']],
  ['a$', ['a', 'bca'], ['ab']],
  ['ab', ['ab', 'xabx'], ['a b', '']],
  ['', ['', 'anything'], []],
  ['^$', [''], ['a']],
  ['^a|b$', ['a', 'ax', 'b', 'xb'], ['x', 'xa', 'bx']],
  ['^(a|b)$', ['a', 'b'], ['ab', '']],
  ['(^a|b$)', ['ax', 'xb'], ['xax']],
  ['^(?:ab){2}$', ['abab'], ['ab', 'ababab']],
  ['^(?<year>\\d{4})-\\d{2}$', ['2026-11'], ['26-11', '2026-1']],
  ['^a?b$', ['b', 'ab'], ['aab']],
  ['^\\w{1,3}?$', ['a', 'a_1'], ['', 'abcd', 'ä']],
  ['^\\d+\\.\\d*$', ['1.', '12.5'], ['1', '.5']],
  ['^a{2,}$', ['aa', 'aaaa'], ['a']],
  ['^a{0}b$', ['b'], ['ab']],
  ['^x{y}$', ['x{y}'], ['xy']],
  ['^\\d{2}\\-\\d\\_$', ['12-3_'], ['12-3']],
  ['^[^@\\s]+@[^@]+$', ['a@b'], ['@b', 'a b@c', 'a']],
  ['^[\\w.-]+$', ['a.b-c_d'], ['a b', '']],
  ['^[a\\-z]$', ['a', '-', 'z'], ['b']],
  ['^[+-]?[\\d_-]+$', ['+1', '-_', '12'], ['', 'a']],
  ['^.$', ['a', 'ä', '😀', '['], ['', 'ab']],
  ['^\\u0041\\x42\\u{43}$', ['ABC'], ['abc']],
  ['^"\\\\\\n$', ['"\\\n'], ['n', '"']],
  ['^["a]$', ['a'], ['b']],
  ['^/\\^\\$\\|\\(\\)\\[\\]\\{\\}\\*\\+\\?$', ['/^$|()[]{}*+?'], ['/']],
  ['^😀+$', ['😀😀'], ['a']],
  ['^https?://[^\\s]+$', ['http://a', 'https://a/b?c'], ['ftp://a', 'http://']],
])('%s', (pattern, fitting, others) => {
  const matches = matcher(pattern)
  expect(fitting.filter((text) => !matches(text))).toEqual([])
  expect(others.filter(matches)).toEqual([])
  expect(fitting.filter((text) => !new RegExp(pattern, /x\{y}|_\$/.test(pattern) ? '' : 'u').test(text))).toEqual([])
})

test('no translated pattern lets a quote, a backslash or a line break into JSON text', () => {
  const harmful = ['"', '\\', '\n', '\u0000', '\u007f']
  for (const pattern of ['^.$', '^[^a]$', '^\\D$', '^\\W$', '^\\S$', '^[ -~]$', 'a?']) {
    const translated = translatePattern(pattern, noLimits)
    const regex = new RegExp(
      'pattern' in translated ? translated.pattern.replace(/\\U([0-9A-F]{8})/g, '\\u{$1}') : '',
      'u',
    )
    expect(harmful.filter((text) => regex.test(text))).toEqual([])
  }
})

test.each([
  ['(?=a)b'],
  ['(?!a)b'],
  ['(?<=a)b'],
  ['(?<!a)b'],
  ['(?i)a'],
  ['(a)\\1'],
  ['\\bword'],
  ['\\p{L}'],
  ['a^b'],
  ['a$b'],
  ['(a'],
  ['a)'],
  ['[a'],
  ['*a'],
  ['a**'],
  ['a{2}{3}'],
  ['a{3,2}'],
  ['[z-a]'],
  ['[]'],
  ['\\u12'],
  ['a\\'],
  ['{2}'],
  ['^[^😀]\\-$'],
  ['^\\p\\-$'],
  ['^a{5000}$'],
  ['^(a{100}){100}$'],
  ['^[\\u0000]$'],
  ['('.repeat(500) + ')'.repeat(500)],
  ['a'.repeat(2_000)],
])('%s has no equal in a grammar', (pattern) => {
  expect(translatePattern(pattern, noLimits)).toEqual({ problem: expect.any(String) })
})

test.each<[string, number, number | undefined, string, boolean]>([
  ['^[a-z]+$', 2, 8, '^[a-z]{2,8}$', true],
  ['^[a-z]*$', 0, 8, '^[a-z]{0,8}$', true],
  ['^[a-z]{1,50}$', 3, undefined, '^[a-z]{3,50}$', true],
  ['^\\d{4}-\\d{2}$', 7, 10, '^[0-9]{4}[\\x2D][0-9]{2}$', true],
  ['^a+b$', 0, 5, '^(a)+b$', false],
  ['^(ab)*$', 2, undefined, '^(ab)*$', false],
])('%s with lengths %p to %p is %s', (pattern, least, most, expected, holdsLengths) => {
  expect(translatePattern(pattern, { least, most })).toEqual({ pattern: expected, holdsLengths })
})
