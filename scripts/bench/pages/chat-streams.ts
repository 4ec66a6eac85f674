/**
 * Streams chats for some milliseconds in a separate process: `chat-streams.ts BASE_URL KEY STREAMS MS`. Prints
 * `ChatTimes` as JSON.
 */
import { textParts } from '../../../src/testing/text-parts.ts'

export interface ChatTimes {
  /** Times from the request to its first text. */
  readonly firstMs: readonly number[]
  /** Times between one text and the next. */
  readonly gapMs: readonly number[]
}

const tokens = 50
const tokenMs = 20
const script = Array.from({ length: tokens }, () => [{ text: 'word ' }, { delayMs: tokenMs }]).flat()
const [, , baseUrl = '', key = '', streams = '8', lastsMs = '1000'] = process.argv
const body = JSON.stringify({
  model: 'test/fake',
  stream: true,
  messages: [{ role: 'user', content: JSON.stringify({ script }) }],
})

const firstMs: number[] = []
const gapMs: number[] = []
const endMs = performance.now() + Number(lastsMs)

async function stream(): Promise<void> {
  while (performance.now() < endMs) {
    const startMs = performance.now()
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
    })
    if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`)
    let lastMs: number | undefined
    for await (const part of textParts(response.body)) {
      if (!part.includes('"content":"word')) continue
      const nowMs = performance.now()
      if (lastMs === undefined) firstMs.push(nowMs - startMs)
      else gapMs.push(nowMs - lastMs)
      lastMs = nowMs
    }
  }
}

await Promise.all(Array.from({ length: Number(streams) }, stream))
console.log(JSON.stringify({ firstMs, gapMs } satisfies ChatTimes))
