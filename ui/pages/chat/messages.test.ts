import { expect, test } from 'bun:test'
import { noQuestion } from './conversation.ts'
import { toMessages } from './messages.ts'

const picture = { id: 1, url: 'data:image/png;base64,AA', name: 'a.png', width: 1, height: 1, bytes: 1 }
const document = { ...picture, id: 2, url: 'data:application/pdf;base64,AA', name: 'a.pdf', document: { pages: 3 } }

test('documents are sent as files, pictures as pictures', () => {
  const question = { ...noQuestion, text: 'Hi', pictures: [picture, document] }
  const exchange = { id: 1, parent: 0, questionId: 1, askedAtMs: 0, question, answers: [] }
  expect(toMessages({ system: '', exchanges: [exchange], column: 0 })).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: picture.url } },
        { type: 'file', file: { filename: 'a.pdf', file_data: document.url } },
        { type: 'text', text: 'Hi' },
      ],
    },
  ])
})
