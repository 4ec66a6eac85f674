import { expect, test } from 'bun:test'
import type { JsonObject } from '../../../core/json.ts'
import { maxWays, waysOf } from './schema-ways.ts'

const reference = (name: string) => ({ $ref: `#/$defs/${name}` })

test('plain schemas have few ways, an enum as many as values', () => {
  const properties = { a: { type: 'string' }, b: { enum: ['x', 'y', 'z'] } }
  expect(waysOf({ type: 'object', properties })).toBe(3)
  expect(waysOf({ enum: Array.from({ length: 1000 }, (_, index) => index) })).toBe(1000)
})

test('arrays in choices, thirty times over, are too many', () => {
  const $defs: Record<string, JsonObject> = { d30: { type: 'integer' } }
  for (let level = 0; level < 30; level++) {
    const next = reference(`d${level + 1}`)
    $defs[`d${level}`] = { anyOf: [next, { type: 'array', items: next }] }
  }
  expect(waysOf({ ...reference('d0'), $defs })).toBeGreaterThan(maxWays)
})

test('a tree and a language of expressions are fine', () => {
  const tree = { type: 'object', properties: { value: {}, children: { type: 'array', items: reference('tree') } } }
  expect(waysOf({ ...reference('tree'), $defs: { tree } })).toBeLessThan(10)
  const kinds = ['add', 'subtract', 'multiply', 'divide'].map((kind) => ({
    type: 'object',
    properties: { kind: { const: kind }, left: reference('expression'), right: reference('expression') },
  }))
  const $defs = { expression: { anyOf: [{ type: 'number' }, ...kinds] } }
  expect(waysOf({ ...reference('expression'), $defs })).toBeLessThan(50)
  const json = { anyOf: [{ type: 'string' }, { type: 'array', items: reference('json') }] }
  expect(waysOf({ ...reference('json'), $defs: { json } })).toBeLessThan(10)
})

test('two kinds of array that both lead back are never told apart', () => {
  const list = { type: 'array', items: reference('value') }
  const $defs = { value: { anyOf: [{ type: 'integer' }, list, { type: 'array', items: list }] } }
  expect(waysOf({ ...reference('value'), $defs })).toBe(Number.POSITIVE_INFINITY)
})
