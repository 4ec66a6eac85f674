import { expect, test } from 'bun:test'
import { simplerTools } from './simpler-tools.ts'

test('leaves of each parameter one type, its description and its values', () => {
  const properties = {
    either: { anyOf: [{ type: 'null' }, { type: 'integer' }], description: 'a number', default: null },
    listed: { type: ['null', 'array'], items: { anyOf: [{}, {}] } },
    chosen: { enum: ['a', 'b'] },
    unknown: { $ref: '#/$defs/x' },
  }
  const parameters = { type: 'object', properties, required: ['either'], $defs: { x: {} } }
  expect(simplerTools([{ name: 'f', parameters }])).toEqual([
    {
      name: 'f',
      parameters: {
        type: 'object',
        properties: {
          either: { type: 'integer', description: 'a number' },
          listed: { type: 'array' },
          chosen: { type: 'string', enum: ['a', 'b'] },
          unknown: { type: 'string' },
        },
        required: ['either'],
      },
    },
  ])
})
