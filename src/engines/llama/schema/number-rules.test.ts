import { expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { isMultipleOf, type NumberLimits, numberRange } from './number-range.ts'
import { NumberRules } from './number-rules.ts'

const ajv = new Ajv2020({ strict: false })

/**
 * Drops `multipleOf` for fractions. Its numbers are decimal: 0.07 is a multiple of 0.01, though not for ajv, which
 * divides doubles.
 */
function withoutFractionStep({ multipleOf, ...rest }: NumberLimits): NumberLimits {
  return Number.isInteger(multipleOf) ? { multipleOf, ...rest } : rest
}

/** Matches texts with the rules, as the sampler does. */
class Matcher {
  readonly #rules: ReadonlyMap<string, readonly (readonly [chars: string, next: string | undefined])[]>
  readonly #root: string
  readonly #accepting = new Set<string>()

  constructor(rules: NumberRules, root: string) {
    this.#root = root
    const lines = rules.text().split('\n')
    this.#rules = new Map(
      lines.map((line) => {
        const [name = '', body = ''] = line.split(' ::= ')
        if (body.startsWith('| ')) this.#accepting.add(name)
        const choices = body.split('|').filter((choice) => choice.trim() !== '')
        return [name, choices.map((choice) => this.#choice(choice.trim()))]
      }),
    )
  }

  #choice(text: string): readonly [string, string | undefined] {
    const [, chars = '', next] = /^\[([-\\.0-9]+)\](?: (\S+))?$/.exec(text) ?? []
    expect(chars).not.toBe('')
    return [chars.replace('\\', ''), next]
  }

  accepts(text: string): boolean {
    let state: string | undefined = this.#root
    for (const char of text) {
      if (state === undefined) return false
      const found: readonly [string, string | undefined] | undefined = this.#rules
        .get(state)
        ?.find(([chars]) => chars.includes(char))
      if (found === undefined) return false
      state = found[1]
    }
    return state === undefined || this.#accepting.has(state)
  }

  /** Returns a number that the rules allow; `choices` select it. */
  walk(choices: readonly number[]): string {
    let text = ''
    let state: string | undefined = this.#root
    for (let at = 0; state !== undefined; at++) {
      const choice: number = choices[at % choices.length] ?? 0
      if (this.#accepting.has(state) && choice % 5 === 0) break
      const all: readonly (readonly [string, string | undefined])[] = (this.#rules.get(state) ?? []).flatMap(
        ([chars, next]) => [...chars].map((char) => [char, next] as const),
      )
      const taken: readonly [string, string | undefined] | undefined = all[choice % all.length]
      if (taken === undefined) throw new Error(`rule ${state} leads nowhere`)
      text += taken[0]
      state = taken[1]
    }
    return text
  }
}

function matcherOf(limits: NumberLimits, isInteger = false): Matcher {
  const range = numberRange(limits, isInteger)
  if ('problem' in range) throw new Error(`${range.keyword}: ${range.problem}`)
  const rules = new NumberRules('n-')
  return new Matcher(rules, rules.add(range))
}

const bound = fc.oneof(
  fc.integer({ min: -30, max: 30 }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 6 })).map(([n, e]) => n / 10 ** e),
  fc.constantFrom(0, -0, 0.1 + 0.2, 5e-324, 1e-7, 1e15, -1e15, 1e21, 0.1, 1),
)
const factor = fc.oneof(
  fc.integer({ min: 1, max: 100 }),
  fc.constantFrom(0.1, 0.01, 0.001, 1e-6, 1e-9, 0.5, 0.25, 0.05, 2.5, 1000, 1e6, 500),
)
const limits: fc.Arbitrary<NumberLimits> = fc
  .record(
    { minimum: bound, maximum: bound, exclusiveMinimum: bound, exclusiveMaximum: bound, multipleOf: factor },
    { requiredKeys: [] },
  )
  .filter((some) => Object.keys(some).length > 0)
const choices = fc.array(fc.nat({ max: 1_000 }), { minLength: 5, maxLength: 40 })

test('every number that the rules allow keeps to the schema', () => {
  let held = 0
  fc.assert(
    fc.property(limits, fc.boolean(), fc.array(choices, { minLength: 5, maxLength: 5 }), (schema, isInteger, walks) => {
      const range = numberRange(schema, isInteger)
      if ('problem' in range) return
      held++
      const rules = new NumberRules('n-')
      const matcher = new Matcher(rules, rules.add(range))
      const type = isInteger ? 'integer' : 'number'
      for (const walk of walks) {
        const text = matcher.walk(walk)
        const isValid = ajv.validate({ type, ...withoutFractionStep(schema) }, JSON.parse(text))
        if (!isValid) expect([JSON.stringify(schema), text]).toEqual([ajv.errorsText()])
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/)
        if (schema.multipleOf !== undefined) expect(isMultipleOf(Number(text), Number(schema.multipleOf))).toBe(true)
      }
    }),
    { numRuns: 600 },
  )
  expect(held).toBeGreaterThan(80)
})

test('numbers that keep to the schema are allowed, written with few digits', () => {
  fc.assert(
    fc.property(
      limits,
      fc.integer({ min: -99_999, max: 99_999 }),
      fc.integer({ min: 0, max: 3 }),
      (schema, n, places) => {
        const isInteger = places === 0
        const range = numberRange(schema, isInteger)
        if ('problem' in range || range.fractionDigits < places || n === 0) return
        const text = (n / 10 ** places).toFixed(places)
        const { multipleOf: _, ...bounds } = schema
        const fits = ajv.validate(bounds, Number(text))
        const isMultiple = schema.multipleOf === undefined || isMultipleOf(Number(text), Number(schema.multipleOf))
        expect(matcherOf(schema, isInteger).accepts(text)).toBe(fits && isMultiple)
      },
    ),
    { numRuns: 1_500 },
  )
})

test.each<[NumberLimits, boolean, readonly string[], readonly string[]]>([
  [
    { minimum: 0, maximum: 1 },
    false,
    ['0', '1', '0.5', '1.0', '0.00000000000001'],
    ['-0', '1.01', '2', '00', '.5', '1.'],
  ],
  [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, false, ['0.1', '0.99'], ['0', '0.0', '1', '1.0', '1e-1']],
  [{ minimum: -90, maximum: 90 }, false, ['-90', '-0.5', '90.000'], ['90.1', '-91', '100']],
  [{ minimum: 0.5, maximum: 0.5 }, false, ['0.5', '0.50'], ['0.51', '0.4', '0']],
  [{ exclusiveMinimum: 0.1 + 0.2 }, false, ['0.3000000000001', '5'], ['0.3', '0.30']],
  [{ minimum: 0 }, false, ['123456789012345.5', '0'], ['-1']],
  [{ maximum: -1.5 }, false, ['-1.5', '-2'], ['-1.4', '0', '1.5']],
  [{ multipleOf: 0.01 }, false, ['0.07', '-12.5', '3', '1.10'], ['0.075', '1.001']],
  [{ multipleOf: 5, minimum: 3, maximum: 17 }, true, ['5', '10', '15'], ['0', '3', '20', '5.0']],
  [{ multipleOf: 7 }, true, ['0', '7', '-49', '700000007'], ['8', '70000001']],
  [{ multipleOf: 1000, minimum: 1 }, true, ['1000', '25000'], ['0', '500', '1001']],
  [{ multipleOf: 1 }, false, ['3', '-3', '0'], ['3.0', '3.5']],
])('%j holds what it says', (schema, isInteger, fitting, others) => {
  const matcher = matcherOf(schema, isInteger)
  expect(fitting.filter((text) => !matcher.accepts(text))).toEqual([])
  expect(others.filter((text) => matcher.accepts(text))).toEqual([])
})

test.each<[NumberLimits, boolean, string]>([
  [{ minimum: 2, maximum: 1 }, false, 'minimum'],
  [{ exclusiveMinimum: 1, exclusiveMaximum: 1 }, false, 'exclusiveMinimum'],
  [{ exclusiveMinimum: 1, maximum: 1 }, false, 'exclusiveMinimum'],
  [{ minimum: 11, maximum: 19, multipleOf: 10 }, true, 'minimum'],
  [{ minimum: 1e16 }, false, 'minimum'],
  [{ multipleOf: 0 }, false, 'multipleOf'],
  [{ multipleOf: -5 }, true, 'multipleOf'],
  [{ multipleOf: 101 }, true, 'multipleOf'],
  [{ multipleOf: 0.3333 }, false, 'multipleOf'],
  [{ multipleOf: 0.5 }, true, 'multipleOf'],
  [{ multipleOf: 'x' }, true, 'multipleOf'],
])('%j cannot be held', (schema, isInteger, keyword) => {
  expect(numberRange(schema, isInteger)).toMatchObject({ keyword, problem: expect.any(String) })
})

test('rules that are alike are written once, and too many are refused', () => {
  const rules = new NumberRules('n-')
  const range = (minimum: number, maximum: number, multipleOf?: number) => {
    const result = numberRange({ minimum, maximum, multipleOf }, multipleOf !== undefined)
    if ('problem' in result) throw new Error(result.problem)
    return result
  }
  const first = rules.add(range(0, 1))
  const size = rules.text().length
  expect(rules.add(range(0, 1))).toBe(first)
  expect(rules.text().length).toBe(size)
  expect(() => {
    for (const factor of [43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]) rules.add(range(0, 1e14, factor))
  }).toThrow('too large')
})
