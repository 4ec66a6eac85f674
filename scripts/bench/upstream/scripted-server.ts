/**
 * Server with vLLM's API that computes nothing: `scripted-server.ts PACE_MS,PACE_MS…`. Its models are `pace-MS`, whose
 * answers have `max_tokens` pieces, one every so many milliseconds. With `pace-0`, each answer gets its next piece once
 * all others have had one and its connection takes it. Prints its base URL. `GET /v1/left` waits until a client leaves
 * an answer, and returns that time.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

interface ChatBody {
  readonly model: string
  readonly max_tokens: number
  readonly stream_options?: { readonly continuous_usage_stats?: boolean }
}

const promptTokens = 16
const models = (process.argv[2] ?? '0').split(',').map((paceMs) => `pace-${paceMs}`)
/** Answers at full speed: functions that send the next piece and return whether there is another. */
const unpaced = new Set<() => boolean>()
/** Times when clients left, in milliseconds since 1970, and requests that wait for the next one. */
const left: number[] = []
const waiting: ServerResponse[] = []

const server = createServer((request, response) => {
  if (request.url === '/v1/chat/completions') void answer(request, response)
  else if (request.url === '/v1/left') {
    waiting.push(response)
    tellLeft()
  } else response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}/v1`)
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  // Unchecked, since only the benchmark sends requests.
  const body = JSON.parse(Buffer.concat(parts).toString()) as ChatBody
  const next = pieces(response, body)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.on('close', () => {
    if (!response.writableEnded) left.push(performance.timeOrigin + performance.now())
    tellLeft()
  })
  const paceMs = Number(body.model.slice('pace-'.length))
  if (paceMs === 0) {
    if (unpaced.size === 0) setImmediate(step)
    unpaced.add(next)
    response.on('close', () => unpaced.delete(next))
  } else if (next()) {
    const timer = setInterval(() => next() || clearInterval(timer), paceMs)
    response.on('close', () => clearInterval(timer))
  }
}

function tellLeft(): void {
  while (left.length > 0 && waiting.length > 0) waiting.shift()?.end(String(left.shift()))
}

/** Sends a piece of each answer, like a step of an engine. */
function step(): void {
  for (const next of unpaced) if (!next()) unpaced.delete(next)
  if (unpaced.size > 0) setImmediate(step)
}

function pieces(response: ServerResponse, { model, max_tokens, stream_options }: ChatBody): () => boolean {
  const head = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"${model}","choices":[`
  const choice = (delta: string, reason: string) =>
    `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}`
  const usage = (tokens: number) =>
    `"usage":{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens + tokens},"completion_tokens":${tokens}}`
  const middle = (tokens: number) => (stream_options?.continuous_usage_stats ? `],${usage(tokens)}}\n\n` : ']}\n\n')
  let sent = 0
  return () => {
    if (response.writableNeedDrain) return true
    sent++
    if (sent <= max_tokens) {
      const delta = sent === 1 ? '{"role":"assistant","content":"word "}' : '{"content":"word "}'
      response.write(`${head}${choice(delta, 'null')}${middle(sent)}`)
      return true
    }
    const last = `${head}${choice('{}', '"length"')}${middle(max_tokens)}`
    response.end(`${last}${head}],${usage(max_tokens)}}\n\ndata: [DONE]\n\n`)
    return false
  }
}
