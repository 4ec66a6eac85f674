/** The context that models tell is the one that requests may use. Real engines, and a box in front of them. */
import { afterAll, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { embeddedFilePath } from '../engines/runtime/runtime-paths.ts'
import { startTestServer, type TestServer } from '../testing/test-server.ts'
import { servedBy } from '../testing/upstream/upstream-host.ts'

const filePaths = { model: embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? '' }
const engine = { contextTokens: 1024, requestTokens: 512, parallel: 2 }
const back = startTestServer({
  models: {
    'test/by-setting': { manifest: { engine: 'llama', contextLength: 2048 }, filePaths },
    'test/by-manifest': { manifest: { engine: 'llama', contextLength: 256 }, filePaths },
    'test/by-file': { manifest: { engine: 'llama' }, filePaths },
  },
  engine,
})
const front = startTestServer({
  models: Object.fromEntries(
    ['by-setting', 'by-manifest'].map((name) => [
      `test/${name}`,
      servedBy('inferd', [{ url: back.baseUrl }], { contextLength: 32_768, upstream: { model: `test/${name}` } }),
    ]),
  ),
  upstream: { readKey: async () => back.keys.valid },
})
afterAll(async () => {
  await front[Symbol.asyncDispose]()
  await back[Symbol.asyncDispose]()
})

async function shown(server: TestServer, id: string) {
  const response = await fetch(`${server.baseUrl}/models/${id}`)
  return (await response.json()) as Record<string, number>
}

function complete(server: TestServer, model: string, promptTokens: number): Promise<Response> {
  const prompt = Array.from({ length: promptTokens }, () => 300)
  return server.post('/v1/completions', { model, prompt, max_tokens: 1 })
}

test.each([
  ['this box, by its setting', back, 'test/by-setting', 512],
  ['this box, by the manifest', back, 'test/by-manifest', 256],
  ['this box, where only the file states a context', back, 'test/by-file', 512],
  ['a box behind it, by that box', front, 'test/by-setting', 512],
  ['a box behind it, by the manifest there', front, 'test/by-manifest', 256],
])('the longest prompt, limited by %s, is the one that is told', async (_, server, model, tokens) => {
  const before = await shown(server, model)
  if (server === back) expect(before.context_length).toBe(tokens)
  expect((await complete(server, model, tokens - 1)).status).toBe(200)
  const after = await shown(server, model)
  expect([after.context_length, after.max_model_len, after.max_completion_tokens]).toEqual([tokens, tokens, tokens])
  const refused = await complete(server, model, tokens)
  expect(refused.status).toBe(400)
  const { error } = (await refused.json()) as { error: { code: string; message: string } }
  expect(error).toMatchObject({
    code: 'context_length_exceeded',
    message: expect.stringContaining(` ${tokens} tokens`),
  })
})

test("the model's own context is told beside it", async () => {
  expect(await shown(back, 'test/by-setting')).toMatchObject({ context_length: 512, max_context_length: 2048 })
})

test('the client of the messages dialect reads the same limits', async () => {
  const client = new Anthropic({ baseURL: back.url, apiKey: back.keys.valid, maxRetries: 0 })
  const model = await client.models.retrieve('test/by-manifest')
  expect([model.max_input_tokens, model.max_tokens]).toEqual([256, 256])
})
