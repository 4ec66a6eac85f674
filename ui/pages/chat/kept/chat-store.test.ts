import 'fake-indexeddb/auto'
import { afterEach, expect, test } from 'bun:test'
import { openDB } from 'idb'
import { noSettings } from '../settings.ts'
import { ChatStore } from './chat-store.ts'
import type { ExchangeRecord, KeptConversation, PictureRecord } from './records.ts'
import { withId } from './records.ts'
import type { ChatNews } from './tabs.ts'

const opened: ChatStore[] = []

/** Opens the conversations of an account as one more tab. */
async function openTab(account: string): Promise<ChatStore> {
  const store = await ChatStore.open(account, opened.length + 1)
  opened.push(store)
  return store
}

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

const exchange = (id: number, text: string, answer = ''): ExchangeRecord => ({
  ...{ conversation: 1, id, parent: 0, questionId: id, askedAtMs: id, text, pictures: [], lostPictures: 0 },
  answers: answer === '' ? [] : [{ model: 'm', steps: [{ text: answer }] }],
})

const picture = { id: 5, name: 'p.png', width: 1, height: 1, bytes: 7 }
const kept: KeptConversation = {
  conversation: {
    ...{ id: 1, title: 'One', isNamed: false, createdAtMs: 1, changedAtMs: 1, leaf: 11, models: ['m'] },
    ...{ system: '', settings: noSettings, tools: '' },
  },
  exchanges: [{ ...exchange(11, 'the question', 'the answer'), pictures: [picture] }],
  pictures: [{ conversation: 1, id: 5, blob: new Blob(['picture'], { type: 'image/png' }) }],
}

test('accounts have conversations of their own', async () => {
  const [ada, bob] = [await openTab('ada'), await openTab('bob')]
  await ada.add([kept])
  expect(await ada.list()).toEqual([kept.conversation])
  expect(await bob.list()).toEqual([])
})

test('a deleted conversation is gone, and comes back with its pictures', async () => {
  const store = await openTab('undo')
  await store.add([kept, withId(kept, 2)])
  await store.drafts.write({ conversation: 1, text: 'half', pictures: [], changedAtMs: 1 })
  expect(await store.search('question')).toEqual(new Set([1, 2]))
  const removed = await store.remove(1)
  expect(await store.read(1)).toBeUndefined()
  expect(await store.search('question')).toEqual(new Set([2]))
  expect(await store.drafts.read(1)).toBeUndefined()
  if (removed !== undefined) await store.add([removed])
  const back = await store.read(1)
  expect(back?.exchanges).toEqual([...kept.exchanges])
  expect(await back?.pictures[0]?.blob.text()).toBe('picture')
  expect(await store.search('question')).toEqual(new Set([1, 2]))
})

test('two tabs that write to one conversation at once lose nothing', async () => {
  const [one, other] = [await openTab('tabs'), await openTab('tabs')]
  await one.add([kept])
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

test('a late write to a deleted conversation leaves nothing behind', async () => {
  const store = await openTab('late')
  await store.add([kept])
  await store.remove(1)
  await store.change(1, { changedAtMs: 5 })
  await store.putExchange(exchange(12, 'late words'))
  await store.removeExchange(exchange(13, 'late words'))
  await store.addWords(1, ['late words'])
  expect(await store.list()).toEqual([])
  expect(await store.exchanges(1)).toEqual([])
  expect(await store.search('late')).toEqual(new Set())
})

test('what a closing tab wrote is part of its conversation at the next opening, unless that was deleted', async () => {
  const store = await openTab('ending')
  await store.add([kept, withId(kept, 2)])
  await store.putExchange({ ...exchange(12, 'asked'), growingAtMs: 5 })
  await store.putExchange({ ...exchange(13, 'went on'), growingAtMs: 5 })
  const pictures = [{ ...(kept.pictures[0] as PictureRecord), id: 6 }]
  await store.leave({ exchange: exchange(12, 'asked', 'last words'), pictures })
  await store.leave({ exchange: exchange(13, 'went on', 'before'), pictures: [] })
  await store.leave({ exchange: { ...exchange(14, 'lost'), conversation: 3 }, pictures: [] })
  // The page came back and the answer ended.
  await store.putExchange(exchange(13, 'went on', 'all of it'))
  const next = await openTab('ending')
  expect(await next.exchanges(1)).toEqual([
    ...kept.exchanges,
    exchange(12, 'asked', 'last words'),
    exchange(13, 'went on', 'all of it'),
  ])
  expect((await next.read(1))?.pictures.map(({ id }) => id)).toEqual([5, 6])
  expect(await next.exchanges(3)).toEqual([])
  expect(await next.search('last')).toEqual(new Set([1]))
  await next.putExchange({ ...exchange(12, 'asked', 'again'), growingAtMs: 9 })
  await openTab('ending')
  expect((await next.exchanges(1))[1]).toMatchObject(exchange(12, 'asked', 'again'))
})

test('a removed exchange keeps its place, and neither its words nor its pictures', async () => {
  const store = await openTab('remove')
  const files = [{ id: 6, name: 'a.txt', text: 'secret content', bytes: 14 }]
  const removed = { ...exchange(11, 'secret'), pictures: [picture], files }
  await store.add([{ ...kept, exchanges: [removed, { ...exchange(12, 'open'), parent: 11 }] }])
  await store.removeExchange(removed)
  const read = await store.read(1)
  expect(read?.exchanges[0]).toEqual({ ...exchange(11, ''), isRemoved: true })
  expect(read?.pictures).toEqual([])
  expect(await store.search('secret')).toEqual(new Set())
  expect(await store.search('open')).toEqual(new Set([1]))
  // A file from before the removal does not bring them back.
  await store.add([{ ...kept, exchanges: [removed] }])
  expect(await store.read(1)).toMatchObject({ exchanges: [{ text: '' }, { text: 'open' }], pictures: [] })
})

test('a message that one tab deletes stays deleted while another receives its answer, until it is brought back', async () => {
  const [one, other] = [await openTab('removed'), await openTab('removed')]
  await one.add([kept])
  await other.removeExchange(exchange(11, 'the question'))
  await one.putExchange(exchange(11, 'the question', 'more of the answer'))
  expect((await one.read(1))?.exchanges).toEqual([{ ...exchange(11, ''), isRemoved: true }])
  await one.putExchange(exchange(11, 'the question'), [], { isBack: true })
  expect((await one.read(1))?.exchanges).toEqual([exchange(11, 'the question')])
})

test('conversations that are added again keep what is there and get what they lack', async () => {
  const store = await openTab('again')
  await store.add([kept])
  await store.change(1, { title: 'Named', isNamed: true })
  await store.putExchange(exchange(12, 'newer'))
  const changed = exchange(11, 'changed elsewhere')
  await store.add([{ ...kept, exchanges: [changed, exchange(13, 'missing')] }])
  expect((await store.list())[0]?.title).toBe('Named')
  expect((await store.exchanges(1)).map(({ text }) => text)).toEqual(['the question', 'newer', 'missing'])
  expect(await store.search('missing question')).toEqual(new Set([1]))
})

test('other tabs hear of changes, and deleting everything leaves nothing', async () => {
  const [one, other] = [await openTab('news'), await openTab('news')]
  const news: ChatNews[] = []
  let heard = Promise.withResolvers<void>()
  other.onNews = (one) => {
    news.push(one)
    heard.resolve()
  }
  await one.add([kept])
  await heard.promise
  expect(news).toEqual([{ isOfList: true }])
  heard = Promise.withResolvers()
  await one.putExchange(exchange(12, 'more'))
  await heard.promise
  expect(news.at(-1)).toEqual({ id: 1, isOfList: false })
  heard = Promise.withResolvers()
  await one.drafts.write({ conversation: 0, text: 'half', pictures: [], changedAtMs: 1 })
  await one.removeAll()
  await heard.promise
  expect(news.at(-1)).toEqual({ isOfList: true })
  expect(await other.list()).toEqual([])
  expect(await other.drafts.read(0)).toBeUndefined()
})

test('conversations are listed from the last changed to the first', async () => {
  const store = await openTab('order')
  await store.add([1, 2, 3].map((id) => withId(kept, id)))
  await store.change(2, { changedAtMs: 9 })
  expect((await store.list()).map(({ id }) => id)).toEqual([2, 3, 1])
})

test('a search finds what another tab has written since the last search', async () => {
  const [one, other] = [await openTab('found'), await openTab('found')]
  await one.add([kept])
  expect(await other.search('later')).toEqual(new Set())
  const heard = Promise.withResolvers<void>()
  other.onNews = () => heard.resolve()
  await one.addWords(1, ['later words'])
  await heard.promise
  expect(await other.search('later')).toEqual(new Set([1]))
})

test('a database of a newer version is refused and left alone', async () => {
  const newer = await openDB('inferd-chats-newer', 99)
  newer.close()
  expect(ChatStore.open('newer', 1)).rejects.toThrow(expect.objectContaining({ name: 'VersionError' }))
})

test('an older version is taken over with its conversations', async () => {
  const older = await openDB('inferd-chats-older', 1, {
    upgrade(database) {
      database.createObjectStore('conversations', { keyPath: 'id' })
      for (const name of ['exchanges', 'pictures'])
        database.createObjectStore(name, { keyPath: ['conversation', 'id'] })
      for (const name of ['words', 'drafts']) database.createObjectStore(name)
    },
  })
  await older.put('conversations', kept.conversation)
  older.close()
  const store = await openTab('older')
  expect(await store.list()).toEqual([kept.conversation])
  expect(await store.drafts.read(1)).toBeUndefined()
})

test('a tab lets a newer version of the page have the database, and says that it keeps nothing more', async () => {
  const store = await openTab('update')
  await store.add([kept])
  const lost = Promise.withResolvers<void>()
  store.onLost = lost.resolve
  const newer = await openDB('inferd-chats-update', 99)
  await lost.promise
  newer.close()
  expect(store.change(1, { title: 'No' })).rejects.toThrow()
})

test('a tab that does not let go of an older version cannot hold the page up', async () => {
  const older = await openDB('inferd-chats-blocked', 1)
  expect(ChatStore.open('blocked', 1)).rejects.toThrow('older version')
  older.close()
})
