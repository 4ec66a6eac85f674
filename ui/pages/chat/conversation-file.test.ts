import { expect, test } from 'bun:test'
import { readFile, writeAllFile, writeFile } from './conversation-file.ts'
import type { KeptConversation } from './kept/records.ts'
import { noSettings } from './settings.ts'

const picture = { id: 5, name: 'p.png', width: 2, height: 3, bytes: 4 }
const kept: KeptConversation = {
  conversation: {
    ...{ id: 1, title: 'Named', isNamed: true, createdAtMs: 1, changedAtMs: 2, leaf: 11, models: ['m'] },
    ...{ system: 'Be short.', settings: { ...noSettings, seed: '7' }, tools: '' },
  },
  exchanges: [
    {
      ...{ conversation: 1, id: 11, parent: 0, questionId: 9, askedAtMs: 3, text: 'Hi', pictures: [picture] },
      ...{ lostPictures: 1, answers: [{ model: 'm', steps: [{ state: 'complete', text: 'Hello' }] }] },
    },
    {
      ...{ conversation: 1, id: 12, parent: 0, questionId: 8, askedAtMs: 4, text: 'Ho', pictures: [] },
      ...{ lostPictures: 0, files: [{ id: 3, name: 'a.md', text: '# A', bytes: 3 }], answers: [null] },
    },
  ],
  pictures: [{ conversation: 1, id: 5, blob: new Blob(['data'], { type: 'image/png' }) }],
}

test('a file brings back a conversation with its branches and pictures', async () => {
  const [read] = readFile(await writeFile(kept), 0)
  expect(read?.conversation).toEqual(kept.conversation)
  expect(read?.exchanges).toEqual([...kept.exchanges])
  expect(await read?.pictures[0]?.blob.text()).toBe('data')
  expect(read?.pictures[0]?.blob.type).toBe('image/png')
})

test('a file of all conversations is read as well', async () => {
  const other = { ...kept, conversation: { ...kept.conversation, id: 2 }, exchanges: [], pictures: [] }
  const read = readFile(await writeAllFile([kept, other]), 0)
  expect(read.map(({ conversation }) => conversation.id)).toEqual([1, 2])
})

test('a file of version 1 becomes one branch with a title of its first words', () => {
  const exchanges = ['First words', 'Second'].map((text) => ({ question: { text }, answers: [] }))
  const [read] = readFile(JSON.stringify({ format: 'inferd-conversation', version: 1, exchanges }), 100)
  const [first, second] = read?.exchanges ?? []
  expect(read?.conversation.title).toBe('First words')
  expect(first?.parent).toBe(0)
  expect(second?.parent).toBe(first?.id ?? -1)
  expect(read?.conversation.leaf).toBe(second?.id ?? -1)
})

test('other files are refused', () => {
  for (const text of ['{}', '[]', 'null', '{"format":"inferd-conversation"}', 'no JSON'])
    expect(() => readFile(text, 0)).toThrow()
})
