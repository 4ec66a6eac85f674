import 'fake-indexeddb/auto'
import { afterEach, expect, setSystemTime, test } from 'bun:test'
import type { Exchange } from '../conversation.ts'
import { Chat } from '../conversation-state.ts'
import { Step } from '../step.ts'
import { ChatStore } from './chat-store.ts'
import { growthEndMs } from './exchange-record.ts'
import { ChatKeeper } from './keep-chat.ts'
import { isElsewhere, toChat } from './read-chat.ts'
import type { KeptConversation } from './records.ts'

const ends: (() => Promise<void> | void)[] = []

afterEach(async () => {
  setSystemTime()
  for (const end of ends.splice(0).reverse()) await end()
})

interface Tab {
  readonly store: ChatStore
  readonly chat: Chat
  readonly keeper: ChatKeeper
  readonly failures: string[]
}

/** Opens a conversation as one more tab: a new one, or the one that is stored. */
async function openTab(account: string, kept?: KeptConversation): Promise<Tab> {
  const store = await ChatStore.open(account, ends.length + 1)
  const chat = kept === undefined ? new Chat(1) : await toChat(kept)
  const failures: string[] = []
  const keeper = new ChatKeeper(chat, kept?.conversation, store, () => failures.push('not kept'))
  ends.push(() => store.close())
  ends.push(() => keeper.end())
  return { store, chat, keeper, failures }
}

/** Returns the stored conversation after all writes that have begun. */
async function stored({ store }: Tab): Promise<KeptConversation> {
  const kept = await store.read(1)
  if (kept === undefined) throw new Error('the conversation is not stored')
  return kept
}

function exchangeOf(id: number, step = new Step(undefined, 'complete')): Exchange {
  const place = { id, parent: 0, questionId: id, askedAtMs: id }
  return {
    ...place,
    question: { text: `q${id}`, pictures: [], files: [], lostPictures: 0 },
    answers: [{ model: 'm', steps: [step] }],
  }
}

/** Adds an exchange as the page does. */
function say({ chat }: Tab, added: Exchange): void {
  const exchange = { ...added, parent: chat.leaf.value }
  chat.all.value = [...chat.all.value, exchange]
  chat.leaf.value = added.id
  chat.onChange()
  chat.onExchange(exchange)
}

test('a conversation that a full storage refused is kept with the next message, and the person is told once', async () => {
  const tab = await openTab('full')
  const full = () => Promise.reject(new DOMException('full', 'QuotaExceededError'))
  Object.assign(tab.store, { add: full })
  say(tab, exchangeOf(11))
  say(tab, exchangeOf(12))
  await new Promise(setImmediate)
  expect(tab.failures).toEqual(['not kept'])
  // The method of the class is back: there is room again.
  Reflect.deleteProperty(tab.store, 'add')
  say(tab, exchangeOf(13))
  const kept = await stored(tab)
  expect(kept.conversation).toMatchObject({ title: 'q11', leaf: 13 })
  expect(kept.exchanges.map(({ text }) => text)).toEqual(['q11', 'q12', 'q13'])
  expect(await tab.store.search('q12')).toEqual(new Set([1]))
})

test('a picture that could not be written is written later', async () => {
  const tab = await openTab('picture')
  say(tab, exchangeOf(11))
  await stored(tab)
  Object.assign(tab.store, { putExchange: () => Promise.reject(new Error('full')) })
  const picture = { id: 7, url: 'data:image/png;base64,AAAA', name: 'p.png', width: 1, height: 1, bytes: 3 }
  const shown = exchangeOf(12)
  say(tab, { ...shown, question: { ...shown.question, pictures: [picture] } })
  await new Promise(setImmediate)
  Reflect.deleteProperty(tab.store, 'putExchange')
  tab.keeper.save()
  expect((await stored(tab)).pictures.map(({ id }) => id)).toEqual([7])
})

test('two tabs change different settings of a conversation, and both changes stay', async () => {
  const one = await openTab('settings')
  say(one, exchangeOf(11))
  const other = await openTab('settings', await stored(one))
  one.chat.system.value = 'Be short.'
  one.chat.onChange()
  await stored(one)
  say(other, exchangeOf(12))
  expect((await stored(other)).conversation).toMatchObject({ system: 'Be short.', leaf: 12 })

  other.keeper.takeOver((await stored(other)).conversation)
  expect(other.chat.system.value).toBe('Be short.')
  other.chat.tools.value = '[]'
  other.keeper.takeOver((await stored(other)).conversation)
  expect(other.chat.tools.value).toBe('[]')
})

test('an answer reads as being received by another tab while that tab writes, and as stopped soon after', async () => {
  const one = await openTab('growing')
  const step = new Step({}, 'streaming')
  step.text = 'half'
  say(one, exchangeOf(11, step))
  const kept = await stored(one)
  const other = await toChat(kept)
  expect(other.all.value.some(isElsewhere)).toBe(true)
  expect(other.isRunning.value).toBe(false)
  setSystemTime(Date.now() + growthEndMs)
  const later = await toChat(kept)
  expect(later.all.value[0]?.answers[0]?.steps[0]?.state.value).toBe('stopped')
  expect(later.all.value[0]?.answers[0]?.steps[0]?.text).toBe('half')
})

test('an answer that leaving the page cancels is not written as a failure', async () => {
  const tab = await openTab('leaving')
  const step = new Step({}, 'streaming')
  step.text = 'half'
  say(tab, exchangeOf(11, step))
  tab.keeper.leave()
  step.finish('failed')
  for (const exchange of tab.chat.all.value) tab.chat.onExchange(exchange)
  // The page is hidden after it was left.
  tab.keeper.saveRunning()
  await tab.store.close()
  const next = await openTab('leaving')
  const [answer] = (await toChat(await stored(next))).all.value[0]?.answers ?? []
  expect(answer?.steps[0]).toMatchObject({ text: 'half', isElsewhere: false })
  expect(answer?.steps[0]?.state.value).toBe('stopped')
})

test('an answer whose page is left counts as stopped at once, and another tab does not write it', async () => {
  const one = await openTab('left')
  const step = new Step({}, 'streaming')
  say(one, exchangeOf(11, step))
  const other = await openTab('left', await stored(one))
  step.text = 'all of it'
  one.keeper.end()
  const [seen] = other.chat.all.value
  if (seen !== undefined) other.chat.onExchange(seen)
  const [answer] = (await toChat(await stored(one))).all.value[0]?.answers ?? []
  expect(answer?.steps[0]).toMatchObject({ text: 'all of it', isElsewhere: false })
  expect(answer?.steps[0]?.state.value).toBe('stopped')
})

test('what is being written when the page is left is there at the next opening', async () => {
  const never = () => new Promise<void>(() => undefined)
  const tab = await openTab('first')
  Object.assign(tab.store, { add: never, putExchange: never })
  const picture = { id: 7, url: 'data:image/png;base64,AAAA', name: 'p.png', width: 1, height: 1, bytes: 3 }
  const shown = exchangeOf(11)
  say(tab, { ...shown, question: { ...shown.question, pictures: [picture] } })
  tab.keeper.leave()
  await tab.store.close()
  const next = await openTab('first')
  const kept = await stored(next)
  expect(kept.conversation.title).toBe('q11')
  expect(kept.exchanges.map(({ text }) => text)).toEqual(['q11'])
  expect(kept.pictures.map(({ id }) => id)).toEqual([7])
  expect(await next.store.search('q11')).toEqual(new Set([1]))

  const again = await openTab('first', kept)
  Object.assign(again.store, { removeExchange: never })
  again.chat.remove(11)
  again.keeper.leave()
  await again.store.close()
  const last = await openTab('first')
  expect((await stored(last)).exchanges).toMatchObject([{ id: 11, text: '', isRemoved: true }])
  expect(await last.store.search('q11')).toEqual(new Set())
})
