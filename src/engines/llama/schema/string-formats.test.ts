import { expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { GrammarReader } from '../../../testing/read-grammar.ts'
import { textForm } from './text-form.ts'

const ajv = new Ajv2020()
addFormats(ajv)

function readerOf(format: string, lengths = { least: 0, most: Number.POSITIVE_INFINITY }): GrammarReader {
  const most = Number.isFinite(lengths.most) ? lengths.most : undefined
  const { rules } = textForm({ pattern: undefined, format, lengths: { least: lengths.least, most } })
  return new GrammarReader(rules?.('root').join('\n') ?? '')
}

test.each(['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])(
  'every text that the grammar of %s allows is one, and as long as allowed',
  (format) => {
    for (const most of format === 'email' || format === 'hostname' ? [Number.POSITIVE_INFINITY, 254, 40, 12] : [100]) {
      const reader = readerOf(format, { least: 0, most })
      const maxLength = Number.isFinite(most) ? { maxLength: most } : {}
      const validate = ajv.compile({ type: 'string', format, ...maxLength })
      fc.assert(
        fc.property(fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 100 }), (chosen) => {
          let at = 0
          return validate(JSON.parse(reader.sample(() => chosen[at++ % chosen.length] ?? 0)))
        }),
        { numRuns: 300 },
      )
    }
  },
)

test.each<[string, readonly string[], readonly string[]]>([
  [
    'date',
    ['2024-02-29', '2000-02-29', '2023-12-31', '1999-04-30'],
    ['2023-02-29', '1900-02-29', '2100-02-29', '2024-04-31', '0999-01-01'],
  ],
  ['time', ['23:59:59Z', '01:02:03.456+05:30'], ['24:00:00Z', '01:02:03', '23:59:60Z']],
  ['date-time', ['2024-02-29T00:00:00Z'], ['2024-02-29 00:00:00Z', '2024-02-30T00:00:00Z']],
  ['duration', ['P1Y', 'PT15M', 'P3Y6M4DT12H30M5S', 'P2W'], ['P', 'PT', 'P1Y4D', 'P1W2D', 'P01D']],
  ['email', ['a.b@example.co.uk', 'x+y@my-mail.org'], ['@b.de', 'a..b@c.de', 'a@b', 'a@-b.de']],
  ['hostname', ['localhost', 'a-b.example.com'], ['-a', 'a-', 'a..b', '']],
  ['ipv4', ['127.0.0.1', '255.255.255.255'], ['256.1.1.1', '1.2.3', '01.2.3.4']],
  [
    'ipv6',
    ['::', '::1', 'fe80::1', '1:2:3:4:5:6:7:8', '2001:db8::a:b', '1::'],
    ['1:2', ':::', '1::2::3', '1:2:3:4:5:6:7:8:9'],
  ],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567e89b12d3a456426614174000']],
])('%s', (format, fitting, others) => {
  const reader = readerOf(format)
  expect(fitting.filter((text) => !reader.fits(JSON.stringify(text)))).toEqual([])
  expect(others.filter((text) => reader.fits(JSON.stringify(text)))).toEqual([])
})
