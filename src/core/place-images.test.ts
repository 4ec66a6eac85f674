import { expect, test } from 'bun:test'
import { chatRequest } from '../testing/chat-request.ts'
import type { ContentPart, ImagePart, SentImagePart, TextPart } from './content.ts'
import { placeImages } from './place-images.ts'

const sent: SentImagePart = { type: 'sent-image', url: '', detail: 'auto', param: 'a' }
const remark: TextPart = { type: 'text', text: '[gone]' }
const text = (words: string): TextPart => ({ type: 'text', text: words })

function picture(hash: string): ImagePart {
  return { type: 'image', hash, path: '/a', detail: 'auto', width: 1, height: 1, orientation: 1, param: 'a' }
}

function placed(contents: readonly ContentPart[][], images: readonly (ImagePart | TextPart)[]) {
  const messages = contents.map((content) => ({ role: 'user', content }) as const)
  return placeImages(chatRequest({ messages, images })).messages.map(({ content }) => content)
}

test('pictures take their places in the order of the messages', () => {
  const [one, two, three] = [picture('1'), picture('2'), picture('3')]
  expect(placed([[sent, text('a'), sent], [text('b')], [sent]], [one, two, three])).toEqual([
    [one, text('a'), two],
    [text('b')],
    [three],
  ])
})

test('a remark is a line of its own, and joins the texts beside it', () => {
  expect(placed([[text('a'), sent, text('b')]], [remark])).toEqual([[text('a\n[gone]\nb')]])
  expect(placed([[sent, sent]], [remark, remark])).toEqual([[text('[gone]\n[gone]')]])
  expect(placed([[sent]], [remark])).toEqual([[remark]])
})

test('a request without pictures stays as it is', () => {
  const request = chatRequest()
  expect(placeImages(request)).toEqual(request)
})

test('a place without a picture is a bug', () => {
  expect(() => placed([[sent, sent]], [picture('1')])).toThrow('this is a bug')
})

test('a document stands on lines of its own, and its pages keep their order', () => {
  const document: ContentPart = { type: 'sent-document', url: '', detail: 'auto', param: 'a' }
  const messages = [
    { role: 'user', content: [text('a'), document, text('b'), sent, document] },
    { role: 'user', content: [document, document] },
  ] as const
  const [one, two] = [picture('1'), picture('2')]
  const documents = [[text('c')], [text('d'), two], [text('e')], [text('f')]]
  const request = placeImages(chatRequest({ messages, images: [one], documents }))
  expect(request.messages.map(({ content }) => content)).toEqual([
    [text('a\nc\nb'), one, text('\nd'), two],
    [text('e\nf')],
  ])
})
