/** A server with limits, killed while 50 requests run: never over, never stuck, and its books add up. */
import { expect, test } from 'bun:test'
import { type KilledServer, paidManifest, startKilledServer } from './kill-server/killed-server.ts'

/** Price of an answer of three words, after the five prompt tokens of every script */
const answerNanoUsd = 8 * 1_000
const affordable = 30

async function ask(server: KilledServer, content = 'one two three'): Promise<number | 'broken'> {
  try {
    const body = { model: 'test/paid', max_tokens: 3, messages: [{ role: 'user', content }] }
    const answer = await server.ask('chat/completions', body)
    await answer.text()
    return answer.status
  } catch {
    return 'broken'
  }
}

const fifty = (server: KilledServer) => Array.from({ length: 50 }, () => ask(server))

function count(statuses: readonly unknown[], status: unknown): number {
  return statuses.filter((each) => each === status).length
}

test.each(['account', 'key'] as const)(
  'a budget by %s allows what it pays for over all kills, to the last answer',
  async (by) => {
    const limits = { by, monthlyNanoUsd: affordable * answerNanoUsd }
    await using server = await startKilledServer({ manifests: { paid: paidManifest('chat') }, limits })
    const before = server.money().balance
    const spent = () => before - server.money().balance
    for (const atOnce of [1, 15]) {
      const asked = fifty(server)
      await Promise.race([Promise.all(asked), ...asked.slice(0, atOnce)])
      await server.kill()
      await Promise.all(asked)
      await server.restart()
      expect(server.money().held).toBe(0)
      expect(spent()).toBeLessThanOrEqual(limits.monthlyNanoUsd)
    }
    const statuses = await Promise.all(fifty(server))
    expect(count(statuses, 200) + count(statuses, 402)).toBe(50)
    expect(spent()).toBe(limits.monthlyNanoUsd)
  },
  60_000,
)

test('places at a time are free again after a kill', async () => {
  const limits = { by: 'key', parallel: 2 } as const
  await using server = await startKilledServer({ manifests: { paid: paidManifest('chat') }, limits })
  const hangs = JSON.stringify({ script: [{ text: 'a' }, { waitForCancel: true }] })
  const hanging = [ask(server, hangs), ask(server, hangs)]
  while ((await ask(server)) !== 429);
  await server.kill()
  expect(await Promise.all(hanging)).toEqual(['broken', 'broken'])
  await server.restart()
  const statuses = await Promise.all(fifty(server))
  expect(count(statuses, 200)).toBeGreaterThanOrEqual(2)
  expect(count(statuses, 200) + count(statuses, 429)).toBe(50)
  expect(server.money().held).toBe(0)
}, 60_000)

test.each([
  ['requests', { requestsPerMinute: 10 }],
  ['tokens', { tokensPerMinute: 80 }],
] as const)(
  'a minute’s %s are not exceeded over a kill',
  async (_, limit) => {
    await using server = await startKilledServer({
      manifests: { paid: paidManifest('chat') },
      limits: { by: 'key', ...limit },
    })
    const answered = []
    for (let left = 6; left > 0; left--) answered.push(await ask(server))
    await server.kill()
    await server.restart()
    for (let left = 6; left > 0; left--) answered.push(await ask(server))
    // An answer uses 8 tokens.
    expect(answered).toEqual([...Array(10).fill(200), 429, 429])
  },
  60_000,
)
