import { expect, test } from 'bun:test'
import type { JsonObject } from '../../../core/json.ts'
import { mergeSchemas } from './merge-schemas.ts'

function merge(left: JsonObject, right: JsonObject): { merged: JsonObject | undefined; problems: string[] } {
  const problems: string[] = []
  const merged = mergeSchemas(left, right, (keyword) => problems.push(keyword))
  return { merged, problems }
}

test.each<[JsonObject, JsonObject, JsonObject]>([
  [{ type: 'integer' }, { type: 'number' }, { type: 'integer' }],
  [{ type: 'number' }, { type: 'integer' }, { type: 'integer' }],
  [{ type: ['string', 'null', 'number'] }, { type: ['null', 'string'] }, { type: ['string', 'null'] }],
  [
    { minimum: 1, maximum: 9 },
    { minimum: 3, maximum: 5 },
    { minimum: 3, maximum: 5 },
  ],
  [
    { minLength: 4, maxLength: 4 },
    { minLength: 3, maxLength: 5 },
    { minLength: 4, maxLength: 4 },
  ],
  [{ enum: [1, 2, { a: 1 }] }, { enum: [{ a: 1 }, 2, 3] }, { enum: [2, { a: 1 }] }],
  [{ required: ['a', 'b'] }, { required: ['b', 'c'] }, { required: ['a', 'b', 'c'] }],
  [{ nullable: true }, { nullable: true }, { nullable: true }],
  [{ nullable: true }, { nullable: false }, { nullable: false }],
  [{ uniqueItems: false }, { uniqueItems: true }, { uniqueItems: true }],
  [{ additionalProperties: true }, { additionalProperties: false }, { additionalProperties: false }],
  [{ additionalProperties: { a: 1 } }, { additionalProperties: false }, { additionalProperties: false }],
  [{ additionalProperties: false }, { additionalProperties: {} }, { additionalProperties: false }],
  [{ additionalProperties: true }, { additionalProperties: { a: 1 } }, { additionalProperties: { a: 1 } }],
  [{ items: { a: 1 } }, { items: { b: 2 } }, { items: { allOf: [{ a: 1 }, { b: 2 }] } }],
  [
    { properties: { a: { x: 1 }, b: {} } },
    { properties: { a: { y: 2 }, b: {}, c: {} } },
    { properties: { a: { allOf: [{ x: 1 }, { y: 2 }] }, b: {}, c: {} } },
  ],
  [
    { additionalProperties: { description: 'D' } },
    { properties: { a: {} } },
    { additionalProperties: { description: 'D' }, properties: { a: {} } },
  ],
  [{ items: true }, { prefixItems: [{}] }, { items: true, prefixItems: [{}] }],
  [{ pattern: 'a' }, { pattern: 'a', description: 'D' }, { pattern: 'a', description: 'D' }],
  [{ description: 'ours' }, { description: 'theirs' }, { description: 'ours' }],
])('%j and %j are %j', (left, right, merged) => {
  expect(merge(left, right)).toEqual({ merged, problems: [] })
})

test.each<[JsonObject, JsonObject]>([
  [{ type: 'string' }, { type: 'number' }],
  [{ enum: [1] }, { enum: [2] }],
])('nothing fits %j and %j', (left, right) => {
  expect(merge(left, right)).toEqual({ merged: undefined, problems: [] })
})

const closed = { properties: { a: {} }, additionalProperties: false }

test.each<[string, JsonObject, JsonObject]>([
  ['pattern', { pattern: 'a' }, { pattern: 5 }],
  ['anyOf', { anyOf: [{ a: 1 }] }, { anyOf: [{ b: 1 }] }],
  ['additionalProperties', closed, { properties: { b: {} } }],
  ['additionalProperties', { properties: { b: {} } }, closed],
  ['additionalProperties', { additionalProperties: { type: 'null' } }, { properties: { b: {} } }],
  ['items', { prefixItems: [{}] }, { items: { type: 'null' } }],
  ['items', { items: { type: 'null' } }, { prefixItems: [{}] }],
  ['items', { items: [{}] }, { items: { type: 'null' } }],
  ['enum', { enum: 'x' }, { enum: ['x'] }],
  ['minimum', { minimum: 'x' }, { minimum: 1 }],
])('%s of %j and %j cannot be joined', (keyword, left, right) => {
  expect(merge(left, right).problems).toEqual([keyword])
})

test('a closed object and one of the same properties join', () => {
  expect(merge(closed, { properties: { a: { type: 'string' } } }).problems).toEqual([])
})
