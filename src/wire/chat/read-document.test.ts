import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { isDocumentType, readDocument, readToolDocument } from './read-document.ts'

const url = 'data:application/pdf;base64,AAAA'
const source = { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }

function refusal(part: Readonly<Record<string, unknown>>): string {
  try {
    readDocument(part, 'place', 'file_data')
    return 'accepted'
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.param}`
    throw error
  }
}

test.each<[string, Readonly<Record<string, unknown>>, object?]>([
  ['chat', { type: 'file', file: { file_data: url, filename: 'a.pdf' } }, { name: 'a.pdf' }],
  ['chat without a name', { type: 'file', file: { file_data: url, filename: null } }],
  ['chat as bare base64', { type: 'file', file: { file_data: 'AAAA' } }, { url: 'AAAA' }],
  [
    'responses',
    { type: 'input_file', file_data: url, filename: 'a.pdf', detail: 'low' },
    { name: 'a.pdf', detail: 'low' },
  ],
  ['responses by address', { type: 'input_file', file_url: 'https://a/b.pdf' }, { url: 'https://a/b.pdf' }],
  ['messages', { type: 'document', source }],
  ['messages by address', { type: 'document', source: { type: 'url', url: 'https://a/b' } }, { url: 'https://a/b' }],
])('a document as in %s', (_, part, expected = {}) => {
  const document = { type: 'sent-document', url, name: undefined, detail: 'auto', param: 'place', ...expected }
  expect<unknown>(readDocument(part, 'place', 'source')).toEqual(document)
  expect<unknown>(readToolDocument(part, 'place')).toEqual(document)
  expect(isDocumentType(part.type)).toBe(true)
})

test('a name is one line of limited length', () => {
  const part = { file_data: url, filename: ` a\n\tb${'c'.repeat(1000)}` }
  expect(readDocument(part, 'place', 'file_data').name).toMatch(/^a bc{190,200}$/)
})

describe('a document without bytes', () => {
  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{}, 'missing_required_parameter place.file_data'],
    [{ file_data: null }, 'missing_required_parameter place.file_data'],
    [{ file_data: '' }, 'invalid_value place.file_data'],
    [{ file_data: 5 }, 'invalid_value place.file_data'],
    [{ file: { file_data: '' } }, 'invalid_value place.file.file_data'],
    [{ file: 'a' }, 'missing_required_parameter place.file_data'],
    [{ source: { type: 'base64', data: '' } }, 'invalid_value place.source.data'],
    [{ source: { type: 'url' } }, 'invalid_value place.source.url'],
    [{ source: { type: 'file', file_id: 'f' } }, 'unsupported_content place'],
    [{ file: { file_id: 'f' } }, 'unsupported_content place'],
    [{ file_id: 'f' }, 'unsupported_content place'],
  ])('%j is refused, and of a tool it is left to its reader', (part, expected) => {
    expect(refusal(part)).toBe(expected)
    expect(readToolDocument({ type: 'file', ...part }, 'place')).toBeUndefined()
  })
})
