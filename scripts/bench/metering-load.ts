/** Requests of the metering benchmark to the model `bench/fake`, which computes nothing. */

export interface Ask {
  readonly body: string
  /** Milliseconds that the engine waits before the answer. */
  readonly paceMs: number
}

export interface Load {
  readonly requests: number
  readonly clients: number
}

/**
 * Milliseconds of paced answers of 32 clients, used in turn. They differ, so that answers end at different moments,
 * like a real model's.
 */
const pacesMs = Array.from({ length: 101 }, (_, index) => 50 + ((index * 37) % 101))
const words = 'one two three four five six seven eight'.split(' ')

export const plain: readonly Ask[] = [{ paceMs: 0, body: bodyOf({ content: words.join(' ') }) }]

export const paced = pacedFor(32, { isStream: true })

/** Returns requests for this many clients at once, as many of which end per second as those of 32. */
export function pacedFor(clients: number, { isStream }: { readonly isStream: boolean }): readonly Ask[] {
  return pacesMs.map((usualMs) => {
    const paceMs = Math.max(1, Math.round((usualMs * clients) / 32))
    const script = [{ delayMs: paceMs }, ...words.map((text) => ({ text }))]
    return { paceMs, body: bodyOf({ content: JSON.stringify({ script }), isStream }) }
  })
}

function bodyOf({ content, isStream = false }: { content: string; isStream?: boolean }): string {
  const messages = [{ role: 'user', content }]
  return JSON.stringify({ model: 'bench/fake', max_tokens: 8, stream: isStream, messages })
}

/**
 * Sends requests of some clients, each of which sends the next one after the last answer. Latencies exclude the pace.
 */
export async function ask(post: (body: string) => Promise<void>, asks: readonly Ask[], { requests, clients }: Load) {
  const latenciesMs: number[] = []
  const startMs = performance.now()
  let left = requests
  const client = async () => {
    while (left-- > 0) {
      const { body, paceMs } = asks[left % asks.length] as Ask // never empty
      const sentMs = performance.now()
      await post(body)
      latenciesMs.push(performance.now() - sentMs - paceMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { latenciesMs, seconds: (performance.now() - startMs) / 1000 }
}
