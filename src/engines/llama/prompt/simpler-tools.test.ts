import { expect, test } from 'bun:test'
import { simplerForms } from './simpler-tools.ts'

test('leaves of each parameter one type, its description and its values', () => {
  const properties = {
    either: { anyOf: [{ type: 'null' }, { type: 'integer' }], description: 'a number', default: null },
    listed: { type: ['null', 'array'], items: { anyOf: [{}, {}] } },
    chosen: { enum: ['a', 'b'] },
    unknown: { $ref: '#/$defs/x' },
  }
  const parameters = { type: 'object', properties, required: ['either'], $defs: { x: {} } }
  const [, listed, unlisted] = simplerForms([{ name: 'f', parameters }])
  expect(unlisted).toEqual([
    {
      name: 'f',
      parameters: {
        type: 'object',
        properties: {
          either: { type: 'integer', description: 'a number' },
          listed: {},
          chosen: { type: 'string', enum: ['a', 'b'] },
          unknown: { type: 'string' },
        },
        required: ['either'],
      },
    },
  ])
  expect(listed?.[0]?.parameters.properties).toMatchObject({ listed: { type: 'array', items: {} } })
})

test('lists say that they hold anything, wherever they stand', () => {
  const properties = {
    bare: { type: 'array' },
    inner: { type: ['null', 'array'], items: { anyOf: [{ type: 'array' }, { type: 'string' }] } },
    perhaps: { type: ['null', 'array'] },
    type: { enum: ['array'] },
  }
  const [filled] = simplerForms([{ name: 'f', parameters: { type: 'object', properties } }])
  expect(filled).toEqual([
    {
      name: 'f',
      parameters: {
        type: 'object',
        properties: {
          bare: { type: 'array', items: {} },
          inner: { type: ['null', 'array'], items: { anyOf: [{ type: 'array', items: {} }, { type: 'string' }] } },
          perhaps: { type: ['null', 'array'], items: {} },
          type: { enum: ['array'] },
        },
      },
    },
  ])
})
