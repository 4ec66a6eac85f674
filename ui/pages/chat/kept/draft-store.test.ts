import 'fake-indexeddb/auto'
import { afterEach, expect, test } from 'bun:test'
import { ChatStore } from './chat-store.ts'
import { Drafts } from './drafts.ts'

const opened: ChatStore[] = []

async function openTab(account: string, tab: number): Promise<ChatStore> {
  const store = await ChatStore.open(account, tab)
  opened.push(store)
  return store
}

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

/** Waits until two tabs know each other. */
async function meet(one: ChatStore, other: ChatStore): Promise<void> {
  while (!one.tabs.isOpen(other.tabs.id) || !other.tabs.isOpen(one.tabs.id)) await new Promise(setImmediate)
}

async function open(drafts: Drafts, conversation: number): Promise<void> {
  drafts.begin(conversation, await drafts.read(conversation))
}

const half = (text: string) => ({ text, pictures: [], files: [], lostPictures: 0 })
const none = half('')
const picture = { id: 7, url: 'data:image/png;base64,AAAA', name: 'p.png', width: 1, height: 1, bytes: 3 }

test('a draft is read again with its pictures', async () => {
  const store = await openTab('read', 1)
  const drafts = new Drafts(store.drafts, 1)
  await open(drafts, 0)
  drafts.keep(0, { ...half('a'), pictures: [picture] })
  drafts.keep(0, { ...half('ab'), pictures: [picture] })
  await open(drafts, 0)
  expect(drafts.opened).toEqual({ ...half('ab'), pictures: [picture] })
  drafts.keep(0, half('ab'))
  drafts.keep(0, { ...half('ab'), pictures: [picture] })
  await open(drafts, 0)
  expect(drafts.opened.pictures).toEqual([picture])
  const file = { id: 8, name: 'a.txt', text: 'lines', bytes: 5 }
  drafts.keep(0, { ...none, files: [file] })
  await open(drafts, 0)
  expect(drafts.opened).toEqual({ ...none, files: [file] })
})

test('two tabs keep a draft each; the one of a tab that ended is shown by the next', async () => {
  const [one, other] = [await openTab('two', 1), await openTab('two', 2)]
  await meet(one, other)
  const [first, second] = [new Drafts(one.drafts, 1), new Drafts(other.drafts, 2)]
  await open(first, 0)
  first.keep(0, { ...half('of one'), pictures: [picture] })
  await open(second, 0)
  expect(second.opened).toEqual(none)
  second.keep(0, half('of the other'))
  await open(first, 0)
  expect(first.opened.text).toBe('of one')
  await open(second, 0)
  expect(second.opened.text).toBe('of the other')

  await one.close()
  while (other.tabs.isOpen(1)) await new Promise(setImmediate)
  second.keep(0, none)
  await open(second, 0)
  expect(second.opened).toEqual({ ...half('of one'), pictures: [picture] })
  // The draft that was taken over is gone once it is sent, with its pictures.
  second.keep(0, { ...half('of one!'), pictures: [picture] })
  second.keep(0, none)
  await open(second, 0)
  expect(second.opened).toEqual(none)
})

test('a tab shows its own draft before a newer one that an ended tab left', async () => {
  const [one, other] = [await openTab('own', 1), await openTab('own', 2)]
  await meet(one, other)
  const draft = { conversation: 0, pictures: [], changedAtMs: 1 }
  await one.drafts.write({ ...draft, text: 'own' })
  await other.drafts.write({ ...draft, text: 'newer', changedAtMs: 2 })
  await other.close()
  while (one.tabs.isOpen(2)) await new Promise(setImmediate)
  const drafts = new Drafts(one.drafts, 1)
  await open(drafts, 0)
  expect(drafts.opened.text).toBe('own')
})

test('of drafts that ended tabs left the newest one is shown', async () => {
  const [one, other] = [await openTab('newest', 1), await openTab('newest', 2)]
  const draft = { conversation: 0, pictures: [] }
  await one.drafts.write({ ...draft, text: 'older', changedAtMs: 1 })
  await other.drafts.write({ ...draft, text: 'newer', changedAtMs: 2 })
  await Promise.all([one.close(), other.close()])
  const drafts = new Drafts((await openTab('newest', 3)).drafts, 3)
  await open(drafts, 0)
  expect(drafts.opened.text).toBe('newer')
})

test('a draft that was taken over stays if its tab has come back, or has changed it since', async () => {
  const [one, other] = [await openTab('back', 1), await openTab('back', 2)]
  await meet(one, other)
  await one.drafts.write({ conversation: 0, text: 'left', pictures: [], changedAtMs: 1 })
  one.tabs.leave()
  while (other.tabs.isOpen(1)) await new Promise(setImmediate)
  const drafts = new Drafts(other.drafts, 2)
  const takeOver = async () => {
    await open(drafts, 0)
    expect(drafts.opened.text).toBe('left')
    drafts.keep(0, half('left!'))
  }
  const send = () => drafts.keep(0, none)
  await takeOver()
  one.tabs.begin()
  await meet(one, other)
  send()
  expect((await one.drafts.read(0))?.draft.text).toBe('left')

  one.tabs.leave()
  while (other.tabs.isOpen(1)) await new Promise(setImmediate)
  await takeOver()
  await one.drafts.write({ conversation: 0, text: 'changed', pictures: [], changedAtMs: 2 })
  send()
  await open(drafts, 0)
  expect(drafts.opened.text).toBe('changed')
})

test('a picture of a draft that could not be written is written with the next change', async () => {
  const store = await openTab('refused', 1)
  const drafts = new Drafts(store.drafts, 1)
  await open(drafts, 0)
  Object.assign(store.drafts, { write: () => Promise.reject(new Error('full')) })
  drafts.keep(0, { ...half('a'), pictures: [picture] })
  await new Promise(setImmediate)
  Reflect.deleteProperty(store.drafts, 'write')
  drafts.keep(0, { ...half('ab'), pictures: [picture] })
  await open(drafts, 0)
  expect(drafts.opened.pictures).toEqual([picture])
})

test('a conversation that begins takes the place of its draft, and later drafts are its own', async () => {
  const store = await openTab('begin', 1)
  const drafts = new Drafts(store.drafts, 1)
  await open(drafts, 0)
  drafts.keep(0, half('first'))
  drafts.keep(5, none)
  drafts.keep(5, half('second'))
  await open(drafts, 0)
  expect(drafts.opened).toEqual(none)
  await open(drafts, 5)
  expect(drafts.opened.text).toBe('second')
})

test('drafts of deleted conversations are deleted at the next opening, and those of a new chat stay', async () => {
  const store = await openTab('tidy', 1)
  const drafts = new Drafts(store.drafts, 1)
  await open(drafts, 4)
  drafts.keep(4, half('lost'))
  await open(drafts, 0)
  drafts.keep(0, half('new'))
  await store.drafts.tidy()
  await open(drafts, 4)
  expect(drafts.opened).toEqual(none)
  await open(drafts, 0)
  expect(drafts.opened.text).toBe('new')
})
