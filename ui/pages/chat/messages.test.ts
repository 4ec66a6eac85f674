import { expect, test } from 'bun:test'
import { noQuestion } from './conversation.ts'
import { toMessages } from './messages.ts'

const picture = { id: 1, url: 'data:image/png;base64,AA', name: 'a.png', width: 1, height: 1, bytes: 1 }
const document = { ...picture, id: 2, url: 'data:application/pdf;base64,AA', name: 'a.pdf', document: { pages: 3 } }

const sound = { ...picture, id: 3, url: 'data:audio/ogg;base64,BB', name: 'a.ogg', document: {} }

test('documents are sent as files, pictures as pictures, recordings as recordings', () => {
  const question = { ...noQuestion, text: 'Hi', pictures: [picture, document, sound] }
  const exchange = { id: 1, parent: 0, questionId: 1, askedAtMs: 0, question, answers: [] }
  expect(toMessages({ system: '', exchanges: [exchange], column: 0 })).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: picture.url } },
        { type: 'file', file: { filename: 'a.pdf', file_data: document.url } },
        { type: 'input_audio', input_audio: { data: 'BB', format: 'wav' } },
        { type: 'text', text: 'Hi' },
      ],
    },
  ])
})
