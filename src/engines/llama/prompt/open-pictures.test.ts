import { expect, test } from 'bun:test'
import type { ImagePart, SentImagePart } from '../../../core/content.ts'
import { chatRequest } from '../../../testing/chat-request.ts'
import { openPictures } from './open-pictures.ts'

const sent = (param: string): SentImagePart => ({ type: 'sent-image', url: '', detail: 'auto', param })
const picture = (hash: string): ImagePart => ({
  ...{ type: 'image', hash, path: '', detail: 'auto', width: 1, height: 1, orientation: 1 },
  param: `at.${hash}`,
})

const request = chatRequest({
  messages: [{ role: 'user', content: [sent('at.a'), sent('at.b')] }],
  images: [picture('a'), picture('b')],
})

test('pictures stand where they were sent', () => {
  const { messages, images } = openPictures(request, new Set(['c']))
  expect([messages[0]?.content, images]).toEqual([[picture('a'), picture('b')], undefined])
})

test('a picture that has ended engines is refused, by its place', () => {
  const open = () => openPictures(request, new Set(['b']))
  expect(open).toThrow(expect.objectContaining({ kind: 'invalid_request', code: 'invalid_image', param: 'at.b' }))
})
