import { describe, expect, test } from 'bun:test'
import { refusalOf } from '../../testing/refusal.ts'
import { parseCohereEmbed, parseCohereEmbedV1 } from './parse-embed.ts'

const plain = { model: 'a/b', input_type: 'search_query', texts: ['x', 'y'] }

const parse = (fields: object = {}) => parseCohereEmbed({ ...plain, ...fields })

/** Returns `[code, param]` of the body's refusal. */
function refusal(fields: object, parser = parseCohereEmbed) {
  const found = refusalOf(() => parser({ ...plain, ...fields }))
  return found === undefined ? undefined : [found.code, found.param]
}

test('a plain body asks for all of the vectors, of texts that are cut at their ends', () => {
  expect(parse()).toEqual({
    model: 'a/b',
    request: { inputs: ['x', 'y'], inputType: 'query', dimensions: undefined, truncate: 'end' },
    texts: ['x', 'y'],
    field: 'texts',
    forms: undefined,
  })
})

test('what the texts are for must be said, in the first version it may be', () => {
  expect(parse({ input_type: 'search_document' }).request.inputType).toBe('document')
  expect(parse({ input_type: 'clustering' }).request.inputType).toBeUndefined()
  expect(refusal({ input_type: null })).toEqual(['missing_required_parameter', 'input_type'])
  expect(refusal({ input_type: 'query' })).toEqual(['invalid_value', 'input_type'])
  expect(refusal({ input_type: 'image' })).toEqual(['unsupported_content', 'input_type'])
  expect(parseCohereEmbedV1({ model: 'a', texts: ['x'] }).request.inputType).toBeUndefined()
  expect(refusal({ input_type: 5 }, parseCohereEmbedV1)).toEqual(['invalid_value', 'input_type'])
})

test('types, each once, and dimensions', () => {
  expect(parse({ embedding_types: ['int8', 'float', 'int8'] }).forms).toEqual(['int8', 'float'])
  expect(parse({ embedding_types: [] }).forms).toBeUndefined()
  expect(refusal({ embedding_types: ['int4'] })).toEqual(['invalid_value', 'embedding_types[0]'])
  expect(refusal({ embedding_types: 'int8' })).toEqual(['invalid_value', 'embedding_types'])
  expect(parse({ output_dimension: 256 }).request.dimensions).toBe(256)
  expect(refusal({ output_dimension: 0 })).toEqual(['invalid_value', 'output_dimension'])
})

test('which side is cut', () => {
  expect(parse({ truncate: 'START' }).request.truncate).toBe('start')
  expect(parse({ truncate: 'NONE' }).request.truncate).toBeUndefined()
  expect(parse({ truncate: 'end' }).request.truncate).toBe('end')
  for (const truncate of ['MIDDLE', '', 5]) expect(refusal({ truncate })).toEqual(['invalid_value', 'truncate'])
})

describe('inputs of parts', () => {
  const text = (value: unknown) => ({ type: 'text', text: value })
  const inputs = (...contents: unknown[]) => ({ texts: null, inputs: contents.map((content) => ({ content })) })

  test('their texts are joined', () => {
    expect(parse(inputs([text('a')], [text('b'), text('c')]))).toMatchObject({ texts: ['a', 'b\nc'], field: 'inputs' })
  })

  test.each<[object, string, string]>([
    [inputs([text('')]), 'invalid_value', 'inputs[0].content[0].text'],
    [inputs([text('a')], []), 'invalid_value', 'inputs[1].content'],
    [inputs('a'), 'invalid_value', 'inputs[0].content'],
    [inputs([{ type: 'image_url' }]), 'unsupported_content', 'inputs[0].content[0]'],
    [{ texts: null, inputs: ['a'] }, 'invalid_value', 'inputs[0]'],
    [{ texts: null, inputs: [] }, 'invalid_value', 'inputs'],
    [{ texts: null, inputs: 5 }, 'invalid_value', 'inputs'],
  ])('%j is refused', (fields, code, param) => expect(refusal(fields)).toEqual([code, param]))
})

test.each<[object, string, string]>([
  [{ texts: null }, 'missing_required_parameter', 'texts'],
  [{ texts: [] }, 'invalid_value', 'texts'],
  [{ texts: ['a', ''] }, 'invalid_value', 'texts[1]'],
  [{ texts: ['a', 5] }, 'invalid_value', 'texts[1]'],
  [{ texts: 'a' }, 'invalid_value', 'texts'],
  [{ texts: Array(16_385).fill('a') }, 'too_many_inputs', 'texts'],
  [{ images: ['data:'] }, 'unsupported_content', 'images'],
])('%j is refused', (fields, code, param) => {
  expect(refusal(fields)).toEqual([code, param])
  expect(refusal(fields, parseCohereEmbedV1)).toEqual([code, param])
})

test('null is the same as absent, no pictures are none, and what nobody knows is ignored', () => {
  const nulls = { embedding_types: null, output_dimension: null, truncate: null, images: null, inputs: null }
  expect(parse(nulls)).toEqual(parse())
  expect(parse({ images: [], max_tokens: 5, priority: 1, made_up: {} })).toEqual(parse())
})
