import { textParts } from '../../../src/testing/text-parts.ts'
import { makePrompt } from '../chat/prompts.ts'
import type { ChatTarget } from '../chat/stream-chat.ts'

/**
 * Returns the milliseconds from a client's disconnection in the middle of an answer until the scripted server sees its
 * connection closed. The clients leave one after the other, while the others continue.
 */
export async function measureLeaving(target: ChatTarget, upstreamUrl: string, streams: number): Promise<number[]> {
  const clients = await Promise.all(Array.from({ length: streams }, (_, seed) => begin(target, seed)))
  const delaysMs: number[] = []
  for (const client of clients) {
    const leftMs = performance.timeOrigin + performance.now()
    client.abort()
    const closedMs = Number(await (await fetch(`${upstreamUrl}/left`)).text())
    delaysMs.push(closedMs - leftMs)
  }
  return delaysMs
}

/** Resolves with the first text. */
async function begin({ baseUrl, apiKey, model }: ChatTarget, seed: number): Promise<AbortController> {
  const client = new AbortController()
  const messages = [{ role: 'user', content: makePrompt(64, seed) }]
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model, messages, max_tokens: 10_000, stream: true }),
    keepalive: false,
    signal: client.signal,
  })
  if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`)
  const begun = Promise.withResolvers<void>()
  const read = async (body: ReadableStream<Uint8Array>) => {
    for await (const frame of textParts(body, '\n\n')) if (frame.includes('"content":"word')) begun.resolve()
    throw new Error('the answer ended')
  }
  read(response.body).catch((error: unknown) => begun.reject(error))
  await begun.promise
  return client
}
