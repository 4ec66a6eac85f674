import { expect, test } from 'bun:test'
import { postTo } from '../../../testing/upstream/event-outcome.ts'
import { type RawExchange, startRawServer } from '../../../testing/upstream/raw-server.ts'

const cases: readonly [string, (exchange: RawExchange) => void, 'before' | 'reads' | 'does not read'][] = [
  ['before the head', () => undefined, 'before'],
  ['while it reads', (to) => to.head().say('data: a\n\n'), 'reads'],
  ['while it does not read', (to) => to.head().pour(`data: ${'a'.repeat(9999)}\n\n`), 'does not read'],
]
test.each(cases)('%s: the server sees the end at once', async (_name, answer, how) => {
  await using server = await startRawServer(answer)
  const exchange = server.next()
  const controller = new AbortController()
  const gone = new Error('gone')
  const posted = postTo(server.url, {}, controller.signal)
  const { closed } = await exchange
  let read: Promise<unknown> = posted
  if (how !== 'before') {
    const { events } = await posted
    await events.next()
    if (how === 'reads') read = events.next()
    else {
      await Bun.sleep(100)
      read = Promise.resolve().then(() => events.next())
      controller.abort(gone)
    }
  }
  const abortedMs = performance.now()
  controller.abort(gone)
  await expect(read).rejects.toBe(gone)
  expect((await closed) - abortedMs).toBeLessThan(1_000)
})

test('before it begins: nothing is asked', async () => {
  await using server = await startRawServer(() => undefined)
  await expect(postTo(server.url, {}, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  expect(server.connections).toBe(0)
})

test('what is left unread is closed', async () => {
  await using server = await startRawServer((to) => to.head().drip('data: a\n\n'))
  const first = server.next()
  for await (const _events of (await postTo(server.url)).events) break
  await (await first).closed
  const second = server.next()
  const { close } = await postTo(server.url)
  close()
  await (await second).closed
})
