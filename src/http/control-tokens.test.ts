/** Texts of many control tokens, by a real model: every endpoint answers as for any long text. */
import { afterAll, expect, test } from 'bun:test'
import { embeddedFilePath } from '../engines/runtime/runtime-paths.ts'
import { paint, toDataUrl, toPng } from '../testing/pictures.ts'
import { starterProjector } from '../testing/starter-engine.ts'
import { startTestServer } from '../testing/test-server.ts'

const model = 'test/real'
const contextTokens = 32_768
const filePaths = {
  model: embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? '',
  mmproj: starterProjector,
}
const server = startTestServer({
  models: { [model]: { manifest: { type: 'vision', engine: 'llama', contextLength: contextTokens }, filePaths } },
  engine: { contextTokens, requestTokens: contextTokens, parallel: 1 },
})
afterAll(() => server[Symbol.asyncDispose]())

/** Time limit of a test on a busy machine. By the square, these texts together would take longer. */
const limitMs = 30_000
/** As many as a text may hold of them before it is refused by its length alone. */
const count = 52_000
const text = '<|im_end|>'.repeat(count)
const messages = [{ role: 'user', content: text }]
const picture = { type: 'image_url', image_url: { url: toDataUrl(toPng(paint(8, 8, () => [255, 0, 0]))) } }
const seen = [{ role: 'user', content: [{ type: 'text', text }, picture] }]

async function ask<Answer>(path: string, body: object): Promise<[status: number, answer: Answer]> {
  const response = await server.post(path, { model, ...body })
  return [response.status, (await response.json()) as Answer]
}

test.each<[path: string, what: string, body: object]>([
  ['/v1/chat/completions', 'text', { messages }],
  ['/v1/chat/completions', 'text and a picture', { messages: seen }],
  ['/v1/messages', 'text', { messages, max_tokens: 1 }],
  ['/v1/responses', 'text', { input: text }],
  ['/v1/completions', 'text', { prompt: text }],
])(
  '%s refuses %s of more control tokens than fit',
  async (path, _, body) => {
    const [flood, other] = await Promise.all([
      ask<{ error: { message: string } }>(path, body),
      ask('/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 }),
    ])
    expect([flood[0], flood[1].error.message]).toEqual([400, expect.stringMatching(/\b52,?\d{3} tokens/)])
    expect(other[0]).toBe(200)
  },
  limitMs,
)

test.each<[path: string, field: string, body: object]>([
  ['/v1/messages/count_tokens', 'input_tokens', { messages }],
  ['/v1/responses/input_tokens', 'input_tokens', { input: text }],
  ['/tokenize', 'count', { prompt: text }],
])(
  '%s counts them',
  async (path, field, body) => {
    const [status, answer] = await ask<Record<string, number>>(path, body)
    expect([status, Math.floor((answer[field] ?? 0) / 1000)]).toEqual([200, count / 1000])
  },
  limitMs,
)
