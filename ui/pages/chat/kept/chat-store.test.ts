import 'fake-indexeddb/auto'
import { afterEach, expect, test } from 'bun:test'
import { noSettings } from '../settings.ts'
import { type ChatNews, ChatStore } from './chat-store.ts'
import type { ExchangeRecord, KeptConversation } from './records.ts'
import { withId } from './records.ts'

const opened: ChatStore[] = []

/** Opens the conversations of an account as one more tab. */
async function openTab(account: string): Promise<ChatStore> {
  const store = await ChatStore.open(account)
  opened.push(store)
  return store
}

afterEach(() => {
  for (const store of opened.splice(0)) store.close()
})

const exchange = (id: number, text: string, answer = ''): ExchangeRecord => ({
  ...{ conversation: 1, id, parent: 0, questionId: id, askedAtMs: id, text, pictures: [], lostPictures: 0 },
  answers: answer === '' ? [] : [{ model: 'm', steps: [{ text: answer }] }],
})

const kept: KeptConversation = {
  conversation: {
    ...{ id: 1, title: 'One', isNamed: false, createdAtMs: 1, changedAtMs: 1, leaf: 11, models: ['m'] },
    ...{ system: '', settings: noSettings, tools: '' },
  },
  exchanges: [exchange(11, 'the question', 'the answer')],
  pictures: [{ conversation: 1, id: 5, blob: new Blob(['picture'], { type: 'image/png' }) }],
}

test('accounts have conversations of their own', async () => {
  const [ada, bob] = [await openTab('ada'), await openTab('bob')]
  await ada.add(kept)
  expect(await ada.list()).toEqual([kept.conversation])
  expect(await bob.list()).toEqual([])
})

test('a deleted conversation is gone, and comes back with its pictures', async () => {
  const store = await openTab('undo')
  await store.add(kept)
  await store.add(withId(kept, 2))
  await store.setDraft(1, 'half')
  const removed = await store.remove(1)
  expect(await store.read(1)).toBeUndefined()
  expect(await store.search('question')).toEqual(new Set([2]))
  expect(await store.draft(1)).toBe('')
  if (removed !== undefined) await store.add(removed)
  const back = await store.read(1)
  expect(back?.exchanges).toEqual([...kept.exchanges])
  expect(await back?.pictures[0]?.blob.text()).toBe('picture')
  expect(await store.search('question')).toEqual(new Set([1, 2]))
})

test('two tabs that write to one conversation at once lose nothing', async () => {
  const [one, other] = [await openTab('tabs'), await openTab('tabs')]
  await one.add(kept)
  const ids = Array.from({ length: 20 }, (_, index) => 100 + index)
  await Promise.all(
    ids.flatMap((id) => {
      const tab = id % 2 === 0 ? one : other
      return [tab.putExchange(exchange(id, `word${id}`)), tab.addWords(1, [`word${id}`])]
    }),
  )
  await Promise.all([one.change(1, { title: 'Named', isNamed: true }), other.change(1, { system: 'Be short.' })])
  const read = await one.read(1)
  expect(read?.exchanges.map(({ id }) => id)).toEqual([11, ...ids])
  expect(read?.conversation).toMatchObject({ title: 'Named', system: 'Be short.' })
  for (const id of ids) expect(await other.search(`word${id} question`)).toEqual(new Set([1]))
})

test('a late write does not bring a deleted conversation back into the list', async () => {
  const store = await openTab('late')
  await store.add(kept)
  await store.remove(1)
  await store.change(1, { changedAtMs: 5 })
  await store.putExchange(exchange(12, 'late words'))
  await store.addWords(1, ['late words'])
  expect(await store.list()).toEqual([])
  await store.tidy()
  expect(await store.search('late')).toEqual(new Set())
  await store.add({ ...kept, exchanges: [] })
  expect((await store.read(1))?.exchanges).toEqual([])
})

test('a removed exchange keeps its place, and neither its words nor its pictures', async () => {
  const store = await openTab('remove')
  const picture = { id: 5, name: 'p.png', width: 1, height: 1, bytes: 7 }
  const removed = { ...exchange(11, 'secret'), pictures: [picture] }
  await store.add({ ...kept, exchanges: [removed, { ...exchange(12, 'open'), parent: 11 }] })
  await store.removeExchange(removed)
  const read = await store.read(1)
  expect(read?.exchanges[0]).toEqual({ ...exchange(11, ''), isRemoved: true })
  expect(read?.pictures).toEqual([])
  expect(await store.search('secret')).toEqual(new Set())
  expect(await store.search('open')).toEqual(new Set([1]))
})

test('other tabs hear of changes, and deleting everything leaves nothing', async () => {
  const [one, other] = [await openTab('news'), await openTab('news')]
  const news: ChatNews[] = []
  let heard = Promise.withResolvers<void>()
  other.onNews = (one) => {
    news.push(one)
    heard.resolve()
  }
  await one.add(kept)
  await heard.promise
  expect(news).toEqual([{ id: 1 }])
  heard = Promise.withResolvers()
  await one.setDraft(0, 'half')
  await one.removeAll()
  await heard.promise
  expect(news.at(-1)).toEqual({})
  expect(await other.list()).toEqual([])
  expect(await other.draft(0)).toBe('')
})

test('conversations are listed from the last changed to the first', async () => {
  const store = await openTab('order')
  for (const id of [1, 2, 3]) await store.add(withId(kept, id))
  await store.change(2, { changedAtMs: 9 })
  expect((await store.list()).map(({ id }) => id)).toEqual([2, 3, 1])
})

test('a search finds what another tab has written since the last search', async () => {
  const [one, other] = [await openTab('found'), await openTab('found')]
  await one.add(kept)
  expect(await other.search('later')).toEqual(new Set())
  const heard = Promise.withResolvers<void>()
  other.onNews = () => heard.resolve()
  await one.addWords(1, ['later words'])
  await heard.promise
  expect(await other.search('later')).toEqual(new Set([1]))
})
