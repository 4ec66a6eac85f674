import { expect, test } from 'bun:test'
import { joinFiles, readFile, writeFile } from './conversation-file.ts'
import type { KeptConversation } from './kept/records.ts'
import { noSettings, type Settings, settingFields } from './settings.ts'

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
  const [read] = readFile(await (await writeFile(kept)).text(), 5) ?? []
  expect(read?.conversation).toEqual(kept.conversation)
  expect(read?.exchanges).toEqual([...kept.exchanges])
  expect(await read?.pictures[0]?.blob.text()).toBe('data')
  expect(read?.pictures[0]?.blob.type).toBe('image/png')
})

test('a message after a deleted one follows the message before it, in the file as on the page', async () => {
  const [first, second] = kept.exchanges.map((exchange, index) => ({ ...exchange, pictures: [], parent: index * 11 }))
  if (first === undefined || second === undefined) throw new Error('the conversation has two messages')
  const third = { ...second, id: 13, parent: 12 }
  const exchanges = [first, { ...second, isRemoved: true }, third]
  const [read] = readFile(await (await writeFile({ ...kept, exchanges })).text(), 5) ?? []
  expect(read?.exchanges.map(({ id, parent }) => [id, parent])).toEqual([
    [11, 0],
    [13, 11],
  ])
})

test('a file of all conversations is read as well', async () => {
  const other = { ...kept, conversation: { ...kept.conversation, id: 2 }, exchanges: [], pictures: [] }
  const files = await Promise.all([kept, other].map(writeFile))
  const read = readFile(await joinFiles(files).text(), 5)
  expect(read?.map(({ conversation }) => conversation.id)).toEqual([1, 2])
  expect(readFile(await joinFiles([]).text(), 5)).toEqual([])
})

test('a file of version 1 becomes one branch with a title of its first words', () => {
  const exchanges = ['First words', 'Second'].map((text) => ({ question: { text }, answers: [] }))
  const [read] = readFile(JSON.stringify({ format: 'inferd-conversation', version: 1, exchanges }), 100) ?? []
  const [first, second] = read?.exchanges ?? []
  expect(read?.conversation.title).toBe('First words')
  expect(first?.parent).toBe(0)
  expect(second?.parent).toBe(first?.id ?? -1)
  expect(second?.askedAtMs).toBeGreaterThan(first?.askedAtMs ?? Infinity)
  expect(read?.conversation.leaf).toBe(second?.id ?? -1)
})

test('other files are refused', () => {
  const broken = '{"format":"inferd-conversations","conversations":[{"exchanges":[]},7]}'
  for (const text of ['', '{}', '[]', 'null', '{"format":"inferd-conversation"}', 'no JSON', broken])
    expect(readFile(text, 0)).toBeUndefined()
})

test('a file cannot claim a future time, endless titles, other columns or the number of the beginning', () => {
  const answers = [null, { model: 'm', steps: 'none' }, { model: 'third' }]
  const pictures = [{ url: 'javascript:alert(1)', width: 1, height: 1, bytes: 1 }]
  const files = [7, null, { name: 'a.txt' }]
  const first = { id: 0, parent: 'x', asked_at_ms: 1e15, question: { text: 7, pictures, files }, answers }
  const hostile = { id: 0, title: 'T'.repeat(1e6), changed_at_ms: 1e15, leaf: -1, models: ['a', 'b', 'c', 4] }
  const [read] = readFile(JSON.stringify({ format: 'inferd-conversation', ...hostile, exchanges: [first] }), 100) ?? []
  expect(read?.conversation).toMatchObject({ changedAtMs: 100, models: ['a', 'b'], title: 'T'.repeat(200) })
  expect(read?.conversation.id).toBeGreaterThan(0)
  expect(read?.exchanges[0]).toMatchObject({ parent: 0, askedAtMs: 100, text: '', pictures: [], lostPictures: 1 })
  expect(read?.exchanges[0]?.id).toBeGreaterThan(0)
  expect(read?.exchanges[0]?.answers).toHaveLength(2)
  expect(read?.exchanges[0]?.files).toBeUndefined()
})

test.each([
  [{ form: 'json_schema', schema: '{' }, {}],
  [{ form: 'json_schema' }, {}],
  [
    { form: 'json_schema', schema: '{"type":"object"}' },
    { form: 'json_schema', schema: '{"type":"object"}' },
  ],
  [{ temperature: 'hot', seed: '7', maxTokens: 5, topP: {} }, { seed: '7' }],
  [
    { effort: 'endless', form: 'poem', parallelCalls: 'no', stop: 'END' },
    { parallelCalls: 'no', stop: 'END' },
  ],
  ['none', {}],
])('of settings %p a file brings in %p, with which a request can be made', (settings, read) => {
  const given = { format: 'inferd-conversation', version: 2, settings, exchanges: [] }
  const [conversation] = readFile(JSON.stringify(given), 1) ?? []
  expect(conversation?.conversation.settings).toEqual({ ...noSettings, ...(read as Partial<Settings>) })
  expect(() => settingFields(conversation?.conversation.settings ?? noSettings)).not.toThrow()
})
