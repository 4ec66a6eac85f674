import { expect, test } from 'bun:test'
import { added } from './added-names.ts'
import { toBatch, unknownInputs } from './batch-feeds.ts'

const rows = [
  { ids: Int32Array.of(5, 6, 7), typeIds: Uint8Array.of(0, 0, 1) },
  { ids: Int32Array.of(8), typeIds: Uint8Array.of(1) },
]
const right = { padding: 'right', padTokenId: 9, pooling: 'mean' } as const
const inputs = ['input_ids', 'attention_mask', 'token_type_ids', 'position_ids'].map((name) => ({
  name,
  type: 'int64' as const,
}))

function table(padding: 'left' | 'right') {
  const { feeds, lengths } = toBatch(rows, inputs, { padding, padTokenId: 9, pooling: 'mean' })
  expect(lengths).toEqual([3, 1])
  for (const { shape } of feeds) expect(shape).toEqual([2, 3])
  return Object.fromEntries(feeds.map(({ name, data }) => [name, [...data].map(Number)]))
}

test('rows are filled up on the right', () => {
  expect(table('right')).toEqual({
    input_ids: [5, 6, 7, 8, 9, 9],
    attention_mask: [1, 1, 1, 1, 0, 0],
    token_type_ids: [0, 0, 1, 1, 0, 0],
    position_ids: [0, 1, 2, 0, 0, 0],
  })
})

test('or on the left, where positions still begin with the text', () => {
  expect(table('left')).toEqual({
    input_ids: [5, 6, 7, 9, 9, 8],
    attention_mask: [1, 1, 1, 0, 0, 1],
    token_type_ids: [0, 0, 1, 0, 0, 1],
    position_ids: [0, 1, 2, 0, 0, 0],
  })
})

test('a graph gets what it asks for, in the type that it wants', () => {
  const { feeds } = toBatch(rows, [{ name: 'attention_mask', type: 'int32' }], right)
  expect(feeds).toEqual([
    { name: 'attention_mask', type: 'int32', shape: [2, 3], data: Int32Array.of(1, 1, 1, 1, 0, 0) },
  ])
})

test.each([
  ['right', 'mean', [1, 1, 1, 1, 0, 0], [0, 3]],
  ['left', 'cls', [1, 1, 1, 0, 0, 1], [0, 5]],
  ['right', 'last', [1, 1, 1, 1, 0, 0], [2, 3]],
  ['left', 'last', [1, 1, 1, 0, 0, 1], [2, 5]],
] as const)('padded on the %s, the tokens that are pooled to %s are named', (padding, pooling, own, index) => {
  const inputs = [
    { name: added.ownTokens, type: 'float32' },
    { name: added.tokenIndex, type: 'int64' },
  ] as const
  const { feeds } = toBatch(rows, inputs, { ...right, padding, pooling })
  expect(feeds).toEqual([
    { name: added.ownTokens, type: 'float32', shape: [2, 1, 3], data: Float32Array.from(own) },
    { name: added.tokenIndex, type: 'int64', shape: [2], data: BigInt64Array.from(index, BigInt) },
  ])
  expect(unknownInputs(inputs)).toEqual([])
})

test('inputs that nothing is known for are named', () => {
  expect(unknownInputs(inputs)).toEqual([])
  expect(unknownInputs([...inputs, { name: 'past_key_values.0.key', type: 'int64' }])).toEqual([
    'past_key_values.0.key (int64)',
  ])
  expect(unknownInputs([{ name: 'input_ids', type: 'float32' }])).toEqual(['input_ids (float32)'])
})
