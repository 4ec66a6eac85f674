/**
 * One call of a client library, in a process of its own whose timers run ahead while nothing is on its way: prints how
 * often it tried, how long it would have waited, and how it ended. Arguments: name of the client, base URL, key.
 */
const [name = '', baseUrl = '', key = ''] = process.argv.slice(2)

interface Timer {
  readonly ms: number
  readonly run: () => void
}

const later = globalThis.setTimeout
const timers = new Map<object, Timer>()
const waitsMs: number[] = []
let tries = 0
let underway = 0

globalThis.setTimeout = ((run: () => void, ms = 0) => {
  if (ms < 100) return later(run, ms)
  const handle = { ref: () => handle, unref: () => handle, hasRef: () => false, refresh: () => handle }
  timers.set(handle, { ms, run })
  return handle
}) as unknown as typeof setTimeout
const clear = globalThis.clearTimeout
globalThis.clearTimeout = ((handle: object) => {
  if (!timers.delete(handle)) clear(handle as never)
}) as typeof clearTimeout

const send = globalThis.fetch
globalThis.fetch = (async (...args: Parameters<typeof fetch>) => {
  tries++
  underway++
  try {
    const answer = await send(...args)
    const body = await answer.text()
    return new Response(body, answer)
  } finally {
    underway--
  }
}) as typeof fetch

/** Looks in a row at which nothing was underway. After three the next timer runs. */
let idleRounds = 0
setInterval(() => {
  idleRounds = underway === 0 ? idleRounds + 1 : 0
  const [next] = [...timers].toSorted(([, a], [, b]) => a.ms - b.ms)
  if (idleRounds < 3 || next === undefined) return
  const [handle, { ms, run }] = next
  timers.delete(handle)
  waitsMs.push(Math.round(ms))
  idleRounds = 0
  run()
}, 10).unref()

const messages = [{ role: 'user' as const, content: 'one two three' }]
const clients: Readonly<Record<string, () => Promise<unknown>>> = {
  openai: async () => {
    const { default: OpenAI } = await import('openai')
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key })
    return client.chat.completions.create({ model: 'fake', messages, max_tokens: 3 })
  },
  anthropic: async () => {
    const { default: Anthropic } = await import('@anthropic-ai/sdk')
    const client = new Anthropic({ baseURL: baseUrl, apiKey: key })
    return client.messages.create({ model: 'fake', messages, max_tokens: 3 })
  },
  ai: async () => {
    const { generateText } = await import('ai')
    const { createOpenAI } = await import('@ai-sdk/openai')
    const provider = createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key })
    return generateText({ model: provider.chat('fake'), prompt: 'one two three', maxOutputTokens: 3 })
  },
  cohere: async () => {
    const { CohereClientV2 } = await import('cohere-ai')
    const client = new CohereClientV2({ environment: baseUrl, token: key })
    return client.embed({
      model: 'test/embedder',
      texts: ['one'],
      inputType: 'search_query',
      embeddingTypes: ['float'],
    })
  },
}

let ended = 'ok'
await clients[name]?.().catch((error: unknown) => {
  const { status, statusCode, lastError } = Object(error)
  ended = String(status ?? statusCode ?? Object(lastError).statusCode ?? error)
})
console.log(JSON.stringify({ tries, waitsMs, ended }))
process.exit(0)
