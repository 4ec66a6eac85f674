/**
 * Measures the chat page with many kept conversations: its list, a search and the opening of a conversation, the first
 * after a load of the page and later ones, each from the event to the frame that shows the result. Needs build/ui and
 * Chromium.
 */
import type { Page } from 'playwright-core'
import { say } from '../ui/testing/chat.ts'
import { onChatPage } from './bench/pages/chat-page.ts'
import { median } from './shared/statistics.ts'

const conversations = 500
const exchanges = 25
const wordsOfMessage = 120
const rounds = 9
const lookMs = 500

await onChatPage(async (page) => {
  await say(page, 'begin')
  await page.locator('.conversation').waitFor()
  await page.evaluate(fill, { conversations, exchanges, wordsOfMessage })
  await reload(page)
  report('reading the list', await timed(() => page.evaluate(timeOfReading)))
  report('drawing the list', await timed(() => page.evaluate(timeOfDrawing)))
  for (const action of ['search', 'open'] as const) {
    const measure: Measure = (round) => page.evaluate(timeOf, { action, round })
    report(`first ${action} of a page`, await timed(measure, () => reload(page)))
    report(action, await timed(measure))
  }
})

function report(what: string, times: readonly number[]): void {
  const [middle, longest] = [median(times), Math.max(...times)].map((time) => time.toFixed(1))
  console.log(`${what}: median ${middle} ms, longest ${longest} ms (${times.length} times)`)
}

type Measure = (round: number) => Promise<number>

/** Returns the times of an action, in milliseconds. */
async function timed(measure: Measure, prepare?: () => Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await prepare?.()
    times.push(await measure(round))
  }
  return times
}

/** Runs in the page: writes conversations from a vocabulary of 5,000 words, each with a word that no other has. */
async function fill(size: { conversations: number; exchanges: number; wordsOfMessage: number }): Promise<void> {
  const [{ name = '' } = {}] = await indexedDB.databases()
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open(name)
    opening.onsuccess = () => resolve(opening.result)
  })
  const text = () =>
    Array.from({ length: size.wordsOfMessage }, () => `w${Math.floor(Math.random() ** 2 * 5_000)}`).join(' ')
  for (let id = 1; id <= size.conversations; id += 1) {
    const transaction = database.transaction(['conversations', 'exchanges', 'words'], 'readwrite')
    const settings = {}
    transaction.objectStore('conversations').put({
      ...{ id, title: `conversation ${id}`, isNamed: false, createdAtMs: id, changedAtMs: id, leaf: size.exchanges },
      ...{ models: ['test/fake'], system: '', settings, tools: '' },
    })
    const words = new Set([`unique${id}x`])
    for (let place = 1; place <= size.exchanges; place += 1) {
      const [question, answer] = [text(), text()]
      for (const word of `${question} ${answer}`.split(' ')) words.add(word)
      transaction.objectStore('exchanges').put({
        ...{ conversation: id, id: place, parent: place - 1, questionId: place, askedAtMs: place },
        ...{ text: `${id} ${question}`, pictures: [], lostPictures: 0 },
        answers: [{ model: 'test/fake', steps: [{ state: 'complete', text: answer }] }],
      })
    }
    transaction.objectStore('words').put([...words].join(' '), id)
    await new Promise((resolve) => {
      transaction.oncomplete = resolve
    })
  }
  database.close()
}

/** Loads the page again, until its list is drawn and a person has looked at it for half a second. */
async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.locator('.conversation').nth(20).waitFor()
  await page.evaluate((timeMs) => new Promise((resolve) => setTimeout(resolve, timeMs)), lookMs)
}

/** Runs in the page: folds the list, and unfolds it until the frame with its rows. */
async function timeOfDrawing(): Promise<number> {
  const toggle = document.querySelector<HTMLButtonElement>('.chat-head button[aria-expanded]')
  const rows = () => document.querySelectorAll('.conversation').length
  toggle?.click()
  while (rows() > 0) await new Promise(requestAnimationFrame)
  const startedAt = performance.now()
  toggle?.click()
  while (rows() < 20) await new Promise(requestAnimationFrame)
  return performance.now() - startedAt
}

/** Runs in the page: reads the list as the page does. */
async function timeOfReading(): Promise<number> {
  const [{ name = '' } = {}] = await indexedDB.databases()
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open(name)
    opening.onsuccess = () => resolve(opening.result)
  })
  const startedAt = performance.now()
  await new Promise((resolve) => {
    database.transaction('conversations').objectStore('conversations').getAll().onsuccess = resolve
  })
  const time = performance.now() - startedAt
  database.close()
  return time
}

/** Runs in the page: searches for a word of one conversation, or opens another conversation. */
async function timeOf({ action, round }: { action: 'search' | 'open'; round: number }): Promise<number> {
  const field = document.querySelector<HTMLInputElement>('.conversations input[type=search]')
  const buttons = () => [...document.querySelectorAll<HTMLButtonElement>('.conversation')]
  const frame = () => new Promise(requestAnimationFrame)
  if (field === null) throw new Error('no search field')
  if (action === 'search') {
    const id = 100 + round * 7
    const startedAt = performance.now()
    field.value = `unique${id}x`
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    while (buttons().length !== 1 || !buttons()[0]?.textContent?.startsWith(`conversation ${id}`)) await frame()
    return performance.now() - startedAt
  }
  if (field.value !== '') {
    field.value = ''
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    while (buttons().length < 20) await frame()
  }
  const button = buttons()[3 + round]
  const wanted = /\d+/.exec(button?.textContent ?? '')?.[0] ?? ''
  const startedAt = performance.now()
  button?.click()
  const isThere = () =>
    [...document.querySelectorAll('.question .said')].some((said) => said.textContent?.startsWith(`${wanted} `)) &&
    document.querySelectorAll('.answer-text').length > 0
  while (!isThere()) await frame()
  return performance.now() - startedAt
}
