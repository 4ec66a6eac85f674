import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { GrammarReader } from '../../../testing/read-grammar.ts'
import { formatPattern, isHeldFormat } from './string-formats.ts'
import { textForm } from './text-form.ts'

const anyLength = { least: 0, most: undefined }

interface Limits {
  readonly pattern?: string
  readonly format?: string
  readonly lengths?: { readonly least: number; readonly most: number | undefined }
}

function formOf({ pattern, format, lengths = anyLength }: Limits) {
  return textForm({ pattern, format, lengths })
}

function readerOf(limits: Limits): GrammarReader {
  const { rules } = formOf(limits)
  if (rules === undefined) throw new Error(`not held: ${JSON.stringify(limits)}`)
  return new GrammarReader(rules('root').join('\n'))
}

function matcher(limits: Limits): (text: string) => boolean {
  const reader = readerOf(limits)
  return (text) => reader.fits(JSON.stringify(text))
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
  ['^(?=a)[ab]+$', ['a', 'ab'], ['ba', '']],
  ['^(?!a)[ab]+$', ['b', 'ba'], ['ab', '']],
  ['^(?!.*\\.\\.)[a.]+$', ['a.a', '.a.'], ['a..a']],
  ['^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{4,8}$', ['aB34', '1234aB'], ['ab12', 'AB12', 'aB1', 'aB3456789']],
  ['^foo(?!bar)', ['foo', 'foobaz'], ['foobar', 'xfoo']],
  ['(?:^|,)x(?:,|$)', ['x', 'x,y', 'y,x'], ['yx', 'xy,']],
  ['^a{5000}$', ['a'.repeat(5_000)], ['a'.repeat(4_999)]],
  ['^\\p{Lu}\\P{L}$', ['A1', 'Ä😀'], ['a1', 'AB']],
  ['^\\p{Emoji_Presentation}+$', ['😀🚀'], ['a', '']],
  ['^\\s$', [' ', '\n', '\t'], ['a']],
  ['^[^a]$', ['b', '"', '\\', '\n'], ['a', 'bb']],
])('%s', (pattern, fitting, others) => {
  const matches = matcher({ pattern })
  expect(fitting.filter((text) => !matches(text))).toEqual([])
  expect(others.filter(matches)).toEqual([])
  expect(fitting.filter((text) => !new RegExp(pattern, /x\{y}|_\$/.test(pattern) ? '' : 'u').test(text))).toEqual([])
})

test('no pattern lets a quote, a backslash or a line break into JSON text', () => {
  const harmful = ['"', '\\', '\n', '\u0000', '\u007f']
  for (const pattern of ['^.$', '^[^a]$', '^\\D$', '^\\W$', '^\\S$', '^[ -~]$', 'a?', '^(?!a).$']) {
    const reader = readerOf({ pattern })
    expect(harmful.filter((text) => reader.fits(`"${text}"`))).toEqual([])
  }
})

test.each([
  ['(?=a)b'],
  ['a^b'],
  ['a$b'],
  ['(?:(?=a)b)+'],
  ['(?<=a)b'],
  ['(?<!a)b'],
  ['(?i)a'],
  ['(a)\\1'],
  ['\\bword'],
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
  ['^(a{100}){100}$'],
  ['^[\\u0000]$'],
  ['('.repeat(500) + ')'.repeat(500)],
  ['a'.repeat(5_000)],
])('%s has no equal in a grammar', (pattern) => {
  const { rules, left } = formOf({ pattern })
  expect([rules, left]).toEqual([undefined, [{ keyword: 'pattern', why: expect.any(String) }]])
})

test.each<[Limits, readonly string[], readonly string[]]>([
  [{ pattern: '^[a-z]+$', lengths: { least: 2, most: 8 } }, ['ab', 'abcdefgh'], ['a', 'abcdefghi', 'A1']],
  [{ pattern: '^a+b$', lengths: { least: 0, most: 5 } }, ['ab', 'aaaab'], ['aaaaab']],
  [{ pattern: '^(ab)*$', lengths: { least: 2, most: undefined } }, ['ab', 'abab'], ['', 'aba']],
  [{ pattern: '\\S', lengths: { least: 1, most: 200 } }, ['a', ' a ', 'a'.repeat(200)], [' ', '', 'a'.repeat(201)]],
  [{ pattern: '^[a-z]+$', lengths: { least: 0, most: 4_000 } }, ['a'.repeat(4_000)], ['a'.repeat(4_001)]],
  [{ pattern: '^a+b$', lengths: { least: 0, most: 4_000 } }, ['ab', `${'a'.repeat(400)}b`], ['a'.repeat(4_001)]],
  [{ pattern: '^\\d{4}-\\d{2}-\\d{2}$', format: 'date' }, ['2024-02-29'], ['6051-60-60', '2023-02-29', '2024-2-9']],
  [{ pattern: '^2', format: 'date' }, ['2024-01-01'], ['1999-01-01', '2']],
  [{ pattern: '@example\\.com$', format: 'email' }, ['a.b@example.com'], ['a@example.org', '@example.com']],
  [{ pattern: '^x$', format: 'date' }, ['x'], ['2024-01-01']],
  [{ pattern: '\\bday', format: 'date' }, ['2024-01-01'], ['day']],
  [{ format: 'email', lengths: { least: 0, most: 20 } }, ['a.b@c.de'], ['someone.else@example.com']],
  [{ format: 'hostname', lengths: { least: 4, most: 253 } }, ['a.example.com'], ['a.b', '-abcd']],
])('%j', (limits, fitting, others) => {
  const matches = matcher(limits)
  expect(fitting.filter((text) => !matches(text))).toEqual([])
  expect(others.filter(matches)).toEqual([])
})

test.each<[Limits, 'pattern' | 'format', string]>([
  [{ pattern: '^a$', lengths: { least: 2, most: undefined } }, 'pattern', 'together with'],
  [{ pattern: '^.*a.{15}$', lengths: { least: 0, most: 900 } }, 'pattern', 'together with'],
  [{ format: 'date', lengths: { least: 0, most: 5 } }, 'format', 'within these lengths'],
])('of %j the %s is left', (limits, keyword, why) => {
  expect(formOf(limits).left).toEqual([{ keyword, why: expect.stringContaining(why) }])
})

test('what is no held format is left to the model', () => {
  for (const format of ['uri', 'constructor', 'jwt'])
    expect(formOf({ format })).toMatchObject({ rules: undefined, left: [] })
})

test('every text of a held format that a pattern narrows fits both', () => {
  const patterns: Readonly<Record<string, string>> = {
    email: "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\\.)+[A-Za-z]{2,}$",
    duration: '^P(?:(\\d+W)|(?!.*W)(?=\\d|T\\d)(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?)$',
    hostname:
      '^(?=.{1,253}\\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\\.?$',
    'date-time': '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
    uuid: '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    ipv4: '^10\\.',
    ipv6: '^[0-9a-f:]+$',
  }
  for (const [format, pattern] of Object.entries(patterns)) {
    const reader = readerOf({ format, pattern })
    const { node } = formatPattern(format) ?? {}
    expect([isHeldFormat(format), node === undefined]).toEqual([true, false])
    const alone = matcher({ format })
    const regex = new RegExp(pattern, 'u')
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 50 }),
        (chosen) => {
          let at = 0
          const text: unknown = JSON.parse(reader.sample(() => chosen[at++ % chosen.length] ?? 0))
          return typeof text === 'string' && regex.test(text) && alone(text)
        },
      ),
      { numRuns: 50 },
    )
  }
})

const han = (index: number) => String.fromCodePoint(0x4e_00 + 2 * index)
const times = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, i) => write(i))

test.each([
  ['many different sets', `^${times(600, (index) => `[^${han(index)}]*`).join('')}$`],
  ['many ways to go on', `^(?:${times(400, (index) => `.*${han(index)}.{${index}}`).join('|')})$`],
  ['much that may be left out', `^${'a?'.repeat(1_900)}$`],
])('%s are left, as a try that has cost its time', (_, pattern) => {
  const { rules, size, left } = formOf({ pattern, lengths: { least: 1, most: 3_000 } })
  expect(rules).toBeUndefined()
  expect(left).toEqual([{ keyword: 'pattern', why: 'it is too complex' }])
  expect(size).toBeGreaterThan(1_000)
})

test('a large set of characters is written once', () => {
  const limits = { pattern: "^\\p{L}[\\p{L}' -]*$", lengths: { least: 0, most: 100 } }
  const text = formOf(limits).rules?.('root').join('\n') ?? ''
  expect(text.length).toBeLessThan(50_000)
  expect(text.split('\n').length).toBeGreaterThan(100)
  const fits = matcher(limits)
  expect(['Zoë', "d'Arc", `a${'b'.repeat(99)}`].every(fits)).toBe(true)
  expect(['', ' a', 'a1', 'a'.repeat(101)].some(fits)).toBe(false)
})
