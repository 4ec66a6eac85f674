/**
 * Measures a chat alone and beside another account's scores of prompts, in turns:
 * `bun scripts/bench/scores/beside-chat.ts [SECONDS] [MODEL.gguf]`.
 */
import { embeddedFilePath } from '../../../src/engines/runtime/runtime-paths.ts'
import { startTestServer } from '../../../src/testing/test-server.ts'

const seconds = Number(process.argv[2] ?? 12)
/** Pairs of measurements, since the speed of shared machines changes. */
const rounds = 5
const file = process.argv[3] ?? embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? ''
const model = 'bench/chat'
const requestTokens = 2048
const server = startTestServer({
  models: { [model]: { manifest: { engine: 'llama', contextLength: requestTokens }, filePaths: { model: file } } },
  engine: { contextTokens: 4 * requestTokens, requestTokens, parallel: 4, threads: 1 },
})
const [chatKey, scoreKey] = [server.payer(10 ** 12).key, server.payer(10 ** 12).key]

async function post(path: string, key: string, body: object): Promise<Response> {
  const response = await fetch(server.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, ...body }),
  })
  if (!response.ok) throw new Error(await response.text())
  return response
}

interface Rates {
  /** Tokens per second of the chat and of the scored prompts. */
  readonly chat: number
  readonly scores: number
}

/** Runs one streamed chat, some clients that score prompts, or both. */
async function measure({ chats, scorers }: { readonly chats: number; readonly scorers: number }): Promise<Rates> {
  const beginMs = performance.now()
  const endMs = beginMs + seconds * 1000
  let chatTokens = 0
  let scoredTokens = 0
  const chat = async () => {
    while (performance.now() < endMs) {
      const messages = [{ role: 'user', content: 'Tell me a long story about the sea.' }]
      const response = await post('/chat/completions', chatKey, {
        ...{ messages, stream: true, max_tokens: 1500, temperature: 2, repetition_detection: false },
        logit_bias: { 2036: -100, 2037: -100, 2038: -100 },
      })
      const decoder = new TextDecoder()
      for await (const bytes of response.body ?? []) {
        chatTokens += decoder.decode(bytes).split('"content":"').length - 1
        if (performance.now() >= endMs) break
      }
    }
  }
  const score = async (client: number) => {
    for (let round = 0; performance.now() < endMs; round++) {
      const prompt = Array.from({ length: 120 }, (_, place) => 5 + ((place * 37 + round * 101 + client * 13) % 1900))
      await post('/completions', scoreKey, {
        ...{ prompt: [prompt], temperature: 0, max_tokens: 1, logprobs: 1, echo: true, seed: 1234 },
      })
      scoredTokens += prompt.length
    }
  }
  await Promise.all([
    ...Array.from({ length: chats }, chat),
    ...Array.from({ length: scorers }, (_, index) => score(index)),
  ])
  const tookSeconds = (performance.now() - beginMs) / 1000
  return { chat: chatTokens / tookSeconds, scores: scoredTokens / tookSeconds }
}

await post('/completions', chatKey, { prompt: 'Warm up', max_tokens: 8 })
const ratios: number[] = []
for (let round = 0; round < rounds; round++) {
  const alone = await measure({ chats: 1, scorers: 0 })
  const both = await measure({ chats: 1, scorers: 4 })
  ratios.push(both.chat / alone.chat)
  console.log(
    `chat ${alone.chat.toFixed(0)} tokens/s, beside scores ${both.chat.toFixed(0)} (${both.scores.toFixed(0)})`,
  )
}
const { scores } = await measure({ chats: 0, scorers: 4 })
const median = ratios.toSorted((one, other) => one - other)[rounds >> 1] ?? 0
console.log(`the chat keeps ${median.toFixed(3)} (median), scores alone ${scores.toFixed(0)} tokens/s`)
await server[Symbol.asyncDispose]()
