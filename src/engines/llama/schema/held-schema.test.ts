import { expect, test } from 'bun:test'
import type { JsonObject } from '../../../core/json.ts'
import { heldSchema, SchemaMarks } from './held-schema.ts'

const marked = { const: expect.any(Number) }

test('formats become marks, wherever they stand', () => {
  const date = { type: 'string', format: 'date' }
  const schema = {
    type: 'object',
    properties: { default: date, a: { type: ['string', 'null'], format: 'date' } },
    additionalProperties: { anyOf: [date, { type: 'array', items: date }, { type: 'array', prefixItems: [date] }] },
    $defs: { b: date },
  }
  const held = { type: 'string', const: expect.stringMatching(/^inferd-text-\d{15}$/) }
  expect(heldSchema(schema, new SchemaMarks())).toEqual({
    type: 'object',
    properties: {
      default: held,
      a: { type: ['string', 'null'], format: 'date', anyOf: [held, { type: 'null', format: 'date' }] },
    },
    additionalProperties: { anyOf: [held, { type: 'array', items: held }, { type: 'array', prefixItems: [held] }] },
    $defs: { b: held },
  })
})

test('numbers that the converter cannot hold become marks, equal ones the same', () => {
  const marks = new SchemaMarks()
  const share = { type: 'number', minimum: 0, maximum: 1 }
  const first = heldSchema(share, marks)
  expect(first).toEqual({ ...share, ...marked })
  expect(heldSchema({ ...share, title: 'T' }, marks).const).toEqual(first.const)
  expect(heldSchema({ type: 'integer', multipleOf: 5 }, marks)).toEqual({ type: 'integer', multipleOf: 5, ...marked })
  expect(heldSchema({ type: ['number', 'null'], minimum: 0 }, marks).anyOf).toEqual([
    { type: 'number', minimum: 0, ...marked },
    { type: 'null', minimum: 0 },
  ])
})

test('a grammar has only so many texts, of which equal ones count once', () => {
  const marks = new SchemaMarks()
  const names = (count: number, first = 0) => ({
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`d${index}`, { type: 'string', pattern: `^(?!x)${first + index}` }]),
    ),
  })
  heldSchema(names(400), marks)
  heldSchema(names(400), marks)
  expect(() => heldSchema(names(10_000, 400), marks)).toThrow('too complex together')
})

test('a grammar gets the rules of the marks that it holds', () => {
  const marks = new SchemaMarks()
  const mark = heldSchema({ type: 'integer', multipleOf: 10, minimum: 10, maximum: 90 }, marks).const
  expect(marks.complete(`root ::= "a" "${mark}" "123456789012345"\n`)).toBe(
    'root ::= "a" inferd-number-2 "123456789012345"\ninferd-number-1 ::= [0]\ninferd-number-2 ::= [123456789] inferd-number-1',
  )
  expect(marks.complete('root ::= "a"')).toBe('root ::= "a"')
})

test('a grammar gets the rules of the texts that it holds', () => {
  const marks = new SchemaMarks()
  const mark = heldSchema({ type: 'string', pattern: '^a+$' }, marks).const
  heldSchema({ type: 'string', pattern: '^b$' }, marks)
  expect(marks.complete(`root ::= "\\"${mark}\\"" space\n`)).toBe(
    `root ::= ${mark} space\n${mark} ::= "\\"" [a]+ "\\""`,
  )
})

test.each<[string, JsonObject]>([
  ['texts with lengths alone', { type: 'string', minLength: 2, maxLength: 5_000 }],
  ['formats that lengths leave no room for', { type: 'string', format: 'date', maxLength: 5 }],
  ['formats that are not held', { type: 'string', format: 'uri' }],
  ['bounds of integers', { type: 'integer', minimum: 1, maximum: 5, multipleOf: 1 }],
  ['numbers without limits', { type: ['number', 'null'] }],
  ['limits that cannot be held', { type: 'number', multipleOf: 0.3333 }],
  ['values', { type: 'number', minimum: 0, enum: [1, 2], default: { type: 'number', minimum: 0 } }],
  ['properties that are named like keywords', { properties: { format: { type: 'string' }, minimum: {}, type: {} } }],
])('%s stay as they are', (_, schema) => {
  expect(heldSchema(schema, new SchemaMarks())).toEqual(schema)
})
