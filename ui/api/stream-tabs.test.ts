import { expect, test } from 'bun:test'
import { StreamTabs, type TabChannel } from './stream-tabs.ts'

const waitMs = 10

/** Browser with tabs whose messages are delivered when a test says so, in the order in which they were sent */
class Browser {
  readonly #channels = new Set<TabChannel>()
  #waiting: (() => void)[] = []

  open(): StreamTabs {
    const channel: TabChannel = {
      onmessage: null,
      close: () => this.#channels.delete(channel),
      postMessage: (data) => {
        const others = [...this.#channels].filter((other) => other !== channel)
        this.#waiting.push(() => {
          for (const other of others) other.onmessage?.(new MessageEvent('message', { data }))
        })
      },
    }
    this.#channels.add(channel)
    return new StreamTabs(channel)
  }

  /** Delivers all messages, and those sent in response. */
  deliver(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) next()
  }
}

const places = (taken: readonly (AbortSignal | undefined)[]) => taken.filter((lost) => lost?.aborted === false).length

test('of eight tabs that ask at the same moment three get a place', async () => {
  const browser = new Browser()
  const tabs = Array.from({ length: 8 }, () => browser.open())
  const taken = Promise.all(tabs.map((tab) => tab.take(waitMs)))
  browser.deliver()
  expect(places(await taken)).toBe(3)
})

test('of tabs that got a place since the answers came late, the last ones give it back', async () => {
  const browser = new Browser()
  const tabs = Array.from({ length: 8 }, () => browser.open())
  const taken: (AbortSignal | undefined)[] = []
  for (const tab of tabs) taken.push(await tab.take(waitMs))
  expect(places(taken)).toBe(8)
  browser.deliver()
  expect(taken.map((lost) => lost?.aborted)).toEqual([false, false, false, true, true, true, true, true])
})

test('a place that a tab leaves is had by the next that asks, and the others keep theirs', async () => {
  const browser = new Browser()
  const tabs = Array.from({ length: 5 }, () => browser.open())
  const ask = async (tab: StreamTabs | undefined) => {
    const taken = tab?.take(waitMs)
    browser.deliver()
    return taken
  }
  const taken = []
  for (const tab of tabs) taken.push(await ask(tab))
  expect(taken.map((lost) => lost?.aborted)).toEqual([false, false, false, undefined, undefined])
  tabs[1]?.release()
  const next = [await ask(tabs[4]), await ask(tabs[3]), await ask(tabs[1])]
  expect(next.map((lost) => lost?.aborted)).toEqual([false, undefined, undefined])
  expect(taken.map((lost) => lost?.aborted)).toEqual([false, false, false, undefined, undefined])
})

test('a tab that is closed leaves its place', async () => {
  const browser = new Browser()
  const tabs = Array.from({ length: 4 }, () => browser.open())
  const ask = async (tab: StreamTabs | undefined) => {
    const taken = tab?.take(waitMs)
    browser.deliver()
    return taken
  }
  for (const tab of tabs) await ask(tab)
  expect(await ask(tabs[3])).toBeUndefined()
  tabs[0]?.close()
  expect((await ask(tabs[3]))?.aborted).toBe(false)
})
