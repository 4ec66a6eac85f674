/** Web searches of the whole program as shipped: its settings, a llama.cpp child, the starter model. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { fakeSearxng, foundPages } from '../testing/fake-searxng.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

const searxng = fakeSearxng()
let server: ServedProcess
beforeAll(async () => {
  server = await startServedProcess(['--search-url', `${searxng.url}/`, '--search-price', '0.005'])
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await searxng[Symbol.asyncDispose]()
})

const question = 'Search the web: what is the capital of Norway?'
const links = foundPages.map(({ url }) => url)
const tool = { type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 1 }

test('a model that must search is held to a query, and goes on with the results', async () => {
  const client = new Anthropic({ baseURL: server.baseUrl.replace(/\/v1$/, ''), apiKey: server.key, authToken: null })
  const body = {
    model: 'starter-chat',
    max_tokens: 400,
    temperature: 0,
    messages: [{ role: 'user' as const, content: question }],
    tools: [tool],
    tool_choice: { type: 'tool' as const, name: 'web_search' },
  }
  const whole = await client.messages.create(body)
  const streamed = await client.messages.stream(body).finalMessage()
  for (const { content, usage, stop_reason } of [whole, streamed]) {
    const blocks: readonly { readonly type: string }[] = content
    const use = blocks.find(({ type }) => type === 'server_tool_use')
    expect(use).toMatchObject({ name: 'web_search', input: { query: expect.any(String) } })
    const result = Object(blocks.find(({ type }) => type === 'web_search_tool_result'))
    expect(result.content.map(({ url }: { url: string }) => url)).toEqual(links)
    expect(usage.server_tool_use).toMatchObject({ web_search_requests: 1 })
    expect(['end_turn', 'max_tokens']).toContain(String(stop_reason))
  }
  // The second pass has the first one's prompt, its call and the results.
  expect(whole.usage.input_tokens + Number(whole.usage.cache_read_input_tokens)).toBeGreaterThan(300)
}, 60_000)

test('responses lists the sources too', async () => {
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: server.key })
  const { output } = await client.responses.create({
    model: 'starter-chat',
    input: question,
    max_output_tokens: 400,
    temperature: 0,
    tools: [{ type: 'web_search' }],
    tool_choice: { type: 'web_search' } as never, // newer than the SDK's type
    ...{ max_tool_calls: 1 },
  })
  expect(output.find(({ type }) => type === 'web_search_call')).toMatchObject({
    status: 'completed',
    action: { sources: links.map((url) => ({ type: 'url', url })) },
  })
}, 60_000)
