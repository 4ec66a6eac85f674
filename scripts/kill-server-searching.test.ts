/** A server killed while it searches the web between two passes of an answer: the next start charges nothing. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fakeSearxng } from '../src/testing/fake-searxng.ts'
import { type KilledServer, paidManifest, startKilledServer } from './kill-server/killed-server.ts'

const price = { token: 1_000, search: 5_000_000 }
const searxng = fakeSearxng()
const usual = searxng.answer

let server: KilledServer

beforeAll(async () => {
  const config = `search_url = "${searxng.url}"\nsearch_price = "0.005"\n`
  server = await startKilledServer({ manifests: { paid: paidManifest('chat') }, config })
}, 60_000)

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await searxng[Symbol.asyncDispose]()
})

const call = { tool: { name: 'web_search', arguments: ['{"query":"oslo"}'] } }
const content = JSON.stringify({ script: [{ text: 'a' }, call], afterTools: [{ text: 'b' }], promptTokens: 7 })
const requests = {
  messages: {
    model: 'test/paid',
    max_tokens: 50,
    messages: [{ role: 'user', content }],
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
  },
  responses: { model: 'test/paid', input: content, max_output_tokens: 50, tools: [{ type: 'web_search' }] },
  'alpha/search': { model: 'test/paid', commands: { search_query: [{ q: 'oslo' }] } },
}

test.each(Object.entries(requests))(
  '%s: nothing stays held, and the next answer is paid exactly',
  async (name, body) => {
    const before = server.money()
    const searching = Promise.withResolvers<void>()
    searxng.answer = () => {
      searching.resolve()
      return new Promise(() => undefined)
    }
    const asked = server.ask(name, body).then(
      (answer) => answer.text().catch(() => 'broken'),
      () => 'broken',
    )
    await searching.promise
    expect(server.money().held).toBeGreaterThanOrEqual(price.search)
    await server.kill()
    expect(await asked).toBe('broken')
    searxng.answer = usual
    await server.restart()
    expect(server.money()).toEqual({ balance: before.balance, held: 0 })

    const answer = await server.ask(name, body)
    expect(answer.status).toBe(200)
    await answer.text()
    const tokens = name === 'alpha/search' ? 0 : 2 * 7 + 3
    expect(server.money()).toEqual({ balance: before.balance - tokens * price.token - price.search, held: 0 })
  },
  60_000,
)
