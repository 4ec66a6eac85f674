import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { isImageType, readImage, readToolImage } from './read-image.ts'

const url = 'data:image/png;base64,AAAA'
const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }

function refusal(part: Readonly<Record<string, unknown>>): unknown {
  try {
    return readImage(part, 'place', 'image_url')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.code} ${error.param}`
  }
}

test.each<[string, Readonly<Record<string, unknown>>, string?]>([
  ['chat/completions', { type: 'image_url', image_url: { url } }],
  ['chat/completions with a slip', { type: 'image_url', image_url: url }],
  ['responses', { type: 'input_image', image_url: url, file_id: null }],
  ['responses with a slip', { type: 'input_image', image_url: { url } }],
  ['messages', { type: 'image', source }],
  ['messages by address', { type: 'image', source: { type: 'url', url: 'http://a/b.png' } }, 'http://a/b.png'],
  ['messages with a URL as data', { type: 'image', source: { ...source, data: url } }],
  ['messages with a media type that is none', { source: { ...source, media_type: 'a,b' } }, 'data:;base64,AAAA'],
  ['messages without a media type', { source: { ...source, media_type: undefined } }, 'data:;base64,AAAA'],
  ['a tool server', { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  ['a library', { type: 'image', image: url }],
  ['another library', { type: 'image', url }],
])('a picture as in %s', (_, part, expected = url) => {
  const picture = { type: 'sent-image', url: expected, detail: 'auto', param: 'place' }
  expect<unknown>(readImage(part, 'place', 'source')).toEqual(picture)
  expect<unknown>(readToolImage(part, 'place')).toEqual(picture)
})

test.each([
  ['auto', 'auto'],
  ['low', 'low'],
  ['high', 'high'],
  ['original', 'high'],
  [undefined, 'auto'],
  [null, 'auto'],
  ['closely', 'auto'],
  ['toString', 'auto'],
  [5, 'auto'],
])('detail %p is %s, beside the URL or in its object', (given, detail) => {
  expect(readImage({ image_url: { url, detail: given } }, 'place', 'image_url')).toMatchObject({ detail })
  expect(readImage({ image_url: url, detail: given }, 'place', 'image_url')).toMatchObject({ detail })
  expect(readImage({ image_url: { url }, detail: given }, 'place', 'image_url')).toMatchObject({ detail })
})

describe('a picture without a URL', () => {
  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{}, 'missing_required_parameter place.image_url'],
    [{ image_url: null }, 'missing_required_parameter place.image_url'],
    [{ image_url: '' }, 'invalid_value place.image_url'],
    [{ image_url: 5 }, 'invalid_value place.image_url'],
    [{ image_url: { url: '' } }, 'invalid_value place.image_url.url'],
    [{ image_url: {} }, 'invalid_value place.image_url.url'],
    [{ source: {} }, 'invalid_value place.source.data'],
    [{ source: { type: 'base64', data: '' } }, 'invalid_value place.source.data'],
    [{ source: { type: 'url' } }, 'invalid_value place.source.url'],
    [{ image_url: null, file_id: 'file_1' }, 'unsupported_content place'],
    [{ source: { type: 'file', file_id: 'file_1' } }, 'unsupported_content place'],
  ])('%j is refused, and of a tool it is passed on', (part, expected) => {
    expect(refusal(part)).toBe(expected)
    expect(readToolImage(part, 'place')).toMatchObject({ url: '', param: 'place' })
  })

  test('the error says what to do', () => {
    const message = (part: object) => () => readImage({ ...part }, 'messages[0].content[1]', 'source')
    const asked = 'must be a picture as base64, in a data: URL.'
    expect(message({ source: { type: 'url' } })).toThrow(`'messages[0].content[1].source.url' ${asked}`)
    expect(message({ file_id: 'f' })).toThrow('No files are kept here: send it as base64.')
    expect(() => readImage({}, 'place', 'image_url')).toThrow(`'place.image_url' is required: it ${asked}`)
  })

  test('the error has the words of the dialect that has no URLs', () => {
    const message = (part: object) => () => readImage({ ...part }, 'place', 'source')
    const source = `'place.source' is required: it must be an object with the type "base64" and the picture as its data.`
    expect(message({})).toThrow(source)
    expect(message({ source: url })).toThrow(source)
    expect(message({ source: { type: 'base64' } })).toThrow("'place.source.data' must be a picture as base64.")
    expect(message({ data: '' })).toThrow("'place.data' must be a picture as base64.")
  })
})

test.each(['image_url', 'input_image', 'image', 'computer_screenshot'])('%s is a picture', (type) => {
  expect(isImageType(type)).toBe(true)
})

test.each(['text', 'input_file', 'image_generation_call', '', undefined, 5])('%p is none', (type) => {
  expect(isImageType(type)).toBe(false)
})
