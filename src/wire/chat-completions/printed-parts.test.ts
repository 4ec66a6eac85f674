import { expect, test } from 'bun:test'
import { printedParts } from './printed-parts.ts'

const text = { type: 'text', text: 'Seen' }
const picture = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } }
const url = 'data:image/png;base64,AAAA'

test.each<[object, string]>([
  [picture, url],
  [{ type: 'media', mediaType: 'image/png', data: 'AAAA' }, url],
  [{ type: 'file', mediaType: 'image/*', data: { type: 'url', url: 'https://a/b.png' } }, 'https://a/b.png'],
])('the picture %j that a client printed is one again', (part, address) => {
  const image = { type: 'image_url', image_url: address }
  expect(printedParts(JSON.stringify([text, part, text]))).toEqual([text, image, text])
  expect(printedParts(JSON.stringify([part]))).toEqual([image])
})

const office = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

test.each(['application/pdf', office])('a document of type %s that a client printed is one again', (mediaType) => {
  const printed = { type: 'file', mediaType, data: { type: 'data', data: 'AAAA' }, filename: 'a.pdf' }
  const file = { file_data: `data:${mediaType};base64,AAAA`, filename: 'a.pdf' }
  expect(printedParts(JSON.stringify([text, printed]))).toEqual([text, { type: 'file', file }])
})

test.each([
  '',
  'Seen',
  JSON.stringify([text]),
  JSON.stringify(picture),
  JSON.stringify([text, { type: 'file', mediaType: 'image/png', name: 'a.png' }]),
  JSON.stringify([text, picture, { type: 'file', mediaType: 'text/csv', data: { type: 'data', data: 'AAAA' } }]),
  JSON.stringify([text, picture, 5]),
  JSON.stringify([{ ...text, text: 5 }, picture]),
  `${JSON.stringify([text, picture])} and more`,
])('what a tool said stays as it is: %s', (said) => {
  expect(printedParts(said)).toBeUndefined()
})
