import { describe, expect, test } from 'bun:test'
import { refusalOf } from '../../testing/refusal.ts'
import { embeddingsDialect } from './dialect.ts'
import { parseEmbeddings } from './parse-request.ts'

function parse(fields: object) {
  return parseEmbeddings({ model: 'a/b', input: 'x', ...fields })
}

/** Returns `[kind, code, param]` of the body's refusal. */
function refusal(fields: object) {
  const found = refusalOf(() => parse(fields))
  return found === undefined ? undefined : [found.kind, found.code, found.param]
}

const invalid = (param: string) => ['invalid_request', 'invalid_value', param]

test('a plain body is a request for all of the vector, in numbers', () => {
  expect(parse({})).toEqual({
    model: 'a/b',
    request: { inputs: ['x'], inputType: undefined, dimensions: undefined, truncate: undefined },
    numberType: 'float',
    encodingFormat: 'float',
    isSingle: true,
    dimensionsField: 'dimensions',
  })
})

describe('input', () => {
  test.each<[unknown, readonly (string | number[])[], boolean]>([
    ['a', ['a'], true],
    [' ', [' '], true],
    [['a'], ['a'], false],
    [['a', 'a', '\n'], ['a', 'a', '\n'], false],
    [[{ text: 'a' }], ['a'], false],
    [['a', { text: 'b', id: 1 }], ['a', 'b'], false],
    [[0, 7], [[0, 7]], true],
    [[[0, 7], [9]], [[0, 7], [9]], false],
  ])('%j', (input, inputs, isSingle) => {
    expect(parse({ input })).toMatchObject({ request: { inputs }, isSingle })
  })

  test('half characters become replacement characters; whole ones and controls stay', () => {
    expect(parse({ input: 'a\ud800b' }).request.inputs).toEqual(['a\ufffdb'])
    expect(parse({ input: ['\udc00', '🙂\u0000\u200b'] }).request.inputs).toEqual(['\ufffd', '🙂\u0000\u200b'])
  })

  test.each<[unknown, string]>([
    ['', 'input'],
    [[], 'input'],
    [5, 'input'],
    [{}, 'input'],
    [true, 'input'],
    [['a', ''], 'input[1]'],
    [['a', 1], 'input[1]'],
    [['a', null], 'input[1]'],
    [['a', ['b']], 'input[1]'],
    [[null], 'input[0]'],
    [['a', { text: '' }], 'input[1]'],
    [[{ text: 5 }], 'input[0]'],
    [[[1], { text: 'a' }], 'input[1]'],
    [[1, 'a'], 'input[1]'],
    [[1, [2]], 'input[1]'],
    [[1, null], 'input[1]'],
    [[1, -1], 'input[1]'],
    [[1.5], 'input[0]'],
    [[2 ** 53], 'input[0]'],
    [[[1], 'a'], 'input[1]'],
    [[[1], 2], 'input[1]'],
    [[[1], []], 'input[1]'],
    [[[]], 'input[0]'],
    [[[1], [2, 'a']], 'input[1][1]'],
    [[[1], [[2]]], 'input[1][0]'],
    [[[-1]], 'input[0][0]'],
  ])('%j is refused', (input, param) => {
    expect(refusal({ input })).toEqual(invalid(param))
  })

  test('none at all is refused', () => {
    expect(refusal({ input: null })).toEqual(['invalid_request', 'missing_required_parameter', 'input'])
  })

  test('16384 texts are taken, one more is too many, and so is it with arrays of token ids', () => {
    for (const entry of ['a', [1]]) {
      expect(parse({ input: Array(16_384).fill(entry) }).request.inputs).toHaveLength(16_384)
      expect(refusal({ input: Array(16_385).fill(entry) })).toEqual(['payload_too_large', 'too_many_inputs', 'input'])
    }
    expect(refusal({ input: Array(50_000).fill('') })).toEqual(['payload_too_large', 'too_many_inputs', 'input'])
    expect(parse({ input: Array(1025).fill(1) }).request.inputs).toEqual([Array(1025).fill(1)])
  })
})

describe('the vectors that are asked for', () => {
  test('encoding_format', () => {
    expect(parse({ encoding_format: 'base64' }).encodingFormat).toBe('base64')
    expect(parse({ encoding_format: 'float' }).encodingFormat).toBe('float')
    for (const encoding_format of ['int8', '', 'FLOAT', 5, ['float']]) {
      expect(refusal({ encoding_format })).toEqual(invalid('encoding_format'))
    }
  })

  test('dimensions', () => {
    expect(parse({ dimensions: 1 }).request.dimensions).toBe(1)
    for (const dimensions of [0, -1, 1.5, '8', [8]]) expect(refusal({ dimensions })).toEqual(invalid('dimensions'))
  })

  test('dimensions by another name', () => {
    expect(parse({ output_dimension: 4 })).toMatchObject({
      request: { dimensions: 4 },
      dimensionsField: 'output_dimension',
    })
    expect(parse({ output_dimension: 4, dimensions: 8 })).toMatchObject({
      request: { dimensions: 8 },
      dimensionsField: 'dimensions',
    })
    expect(refusal({ output_dimension: 0 })).toEqual(invalid('output_dimension'))
  })

  test.each(['output_dtype', 'embedding_type', 'encoding_type', 'embedding_types'])(
    'the type of numbers by %s',
    (field) => {
      expect(parse({ [field]: 'float' })).toEqual(parse({}))
      for (const type of ['int8', 'uint8', 'binary', 'ubinary'] as const) {
        expect(parse({ [field]: type })).toMatchObject({ numberType: type, encodingFormat: 'float' })
      }
      expect(parse({ [field]: 'int8', encoding_format: 'base64' })).toMatchObject({
        numberType: 'int8',
        encodingFormat: 'base64',
      })
      for (const type of ['int4', '', 5, { float: true }]) expect(refusal({ [field]: type })).toEqual(invalid(field))
    },
  )

  test('several services have base64 among the types, and a list', () => {
    for (const field of ['embedding_type', 'encoding_type', 'embedding_types']) {
      expect(parse({ [field]: ['ubinary'] })).toMatchObject({ numberType: 'ubinary' })
      expect(parse({ [field]: 'base64' })).toMatchObject({ numberType: 'float', encodingFormat: 'base64' })
      expect(parse({ [field]: [] })).toEqual(parse({}))
      expect(refusal({ [field]: ['float', 'int8'] })).toEqual(['invalid_request', 'unsupported_parameter', field])
    }
  })

  test('late chunking is refused', () => {
    expect(parse({ late_chunking: false })).toEqual(parse({}))
    expect(refusal({ late_chunking: true })?.[2]).toBe('late_chunking')
  })
})

describe('texts that are too long', () => {
  test.each<[object, 'start' | 'end' | undefined]>([
    [{ truncate: true }, 'end'],
    [{ truncation: true }, 'end'],
    [{ truncate: 'END' }, 'end'],
    [{ truncate: 'Start' }, 'start'],
    [{ truncate: 'NONE', truncation: true }, undefined],
    [{ truncate: false }, undefined],
    [{ truncation: false }, undefined],
  ])('%j', (fields, truncate) => expect(parse(fields).request.truncate).toBe(truncate as 'end'))

  test('other words are refused', () => {
    for (const truncate of ['middle', '', 5, 'constructor']) expect(refusal({ truncate })).toEqual(invalid('truncate'))
    expect(refusal({ truncation: 'END' })).toEqual(invalid('truncation'))
  })
})

describe('what the texts are for', () => {
  test.each<[object, 'query' | 'document' | undefined]>([
    [{ input_type: 'query' }, 'query'],
    [{ input_type: 'document' }, 'document'],
    [{ input_type: 'search_query' }, 'query'],
    [{ input_type: 'search_document' }, 'document'],
    [{ input_type: 'passage' }, 'document'],
    [{ task: 'retrieval.query' }, 'query'],
    [{ task: 'retrieval.passage' }, 'document'],
    [{ task: 'RETRIEVAL_QUERY' }, 'query'],
    [{ task: 'RETRIEVAL_DOCUMENT' }, 'document'],
    [{ prompt_name: 'query' }, 'query'],
    [{ prompt_name: 'document' }, 'document'],
    [{ input_type: 'classification' }, undefined],
    [{ input_type: 'clustering', task: 'text-matching', prompt_name: 's2p_query' }, undefined],
    [{ input_type: 'document', task: 'retrieval.query', prompt_name: 'query' }, 'document'],
    [{ input_type: 'classification', prompt_name: 'query' }, 'query'],
    [{ task: 'constructor' }, undefined],
  ])('%j', (fields, inputType) => {
    expect(parse(fields).request.inputType).toBe(inputType as 'query')
  })

  test.each(['input_type', 'task', 'prompt_name'])('%s has to be a word', (field) => {
    expect(refusal({ [field]: 5 })).toEqual(invalid(field))
  })
})

test('null is the same as absent, and what nobody knows is ignored', () => {
  const fields = [
    ...['encoding_format', 'dimensions', 'input_type', 'task', 'prompt_name', 'output_dtype', 'embedding_type'],
    ...['embedding_types', 'encoding_type', 'late_chunking', 'output_dimension', 'truncate', 'truncation'],
  ]
  expect(parse(Object.fromEntries(fields.map((field) => [field, null])))).toEqual(parse({}))
  expect(parse({ user: 5, normalized: false, prompt: 'a', priority: 1, made_up: {} })).toEqual(parse({}))
})

test('the engine’s words for an input are the caller’s where there was one', () => {
  const param = (input: unknown, engines: string) => embeddingsDialect.toCallersParam?.(parse({ input }), engines)
  expect(param('a', 'input[0]')).toBe('input')
  expect(param([1, 2], 'input[0]')).toBe('input')
  expect(param([1, 2], 'input[0][1]')).toBe('input[1]')
  expect(param(['a'], 'input[0]')).toBe('input[0]')
  expect(param('a', 'dimensions')).toBe('dimensions')
  const other = parse({ output_dimension: 9 })
  expect(embeddingsDialect.toCallersParam?.(other, 'dimensions')).toBe('output_dimension')
})
