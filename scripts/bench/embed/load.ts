/** Clients that send the next request when the last one was answered. */

export interface EmbedTarget {
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
}

export interface EmbedLoad {
  readonly clients: number
  /** Returns the texts of the next request. */
  readonly inputs: () => readonly string[]
}

export interface LoadFigures {
  readonly tokensPerSecond: number
  /** Latencies of requests that were answered within the time, or begun within it and answered later. */
  readonly latenciesMs: readonly number[]
}

/** Runs clients for `seconds`, after `warmSeconds` that do not count. Throws if an answer is not 200. */
export async function runEmbedLoad(
  target: EmbedTarget,
  { clients, inputs }: EmbedLoad,
  { seconds, warmSeconds }: { readonly seconds: number; readonly warmSeconds: number },
): Promise<LoadFigures> {
  const beginMs = performance.now() + warmSeconds * 1000
  const endMs = beginMs + seconds * 1000
  const latenciesMs: number[] = []
  let tokens = 0
  const client = async () => {
    while (performance.now() < endMs) {
      const sentMs = performance.now()
      const requestTokens = await embed(target, inputs())
      const doneMs = performance.now()
      // Requests that lie partly outside count in part, since otherwise long ones would be lost at both ends.
      const share = (Math.min(doneMs, endMs) - Math.max(sentMs, beginMs)) / (doneMs - sentMs)
      if (share > 0) tokens += requestTokens * share
      if (share > 0) latenciesMs.push(doneMs - sentMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { tokensPerSecond: tokens / seconds, latenciesMs }
}

/** Sends one request. Returns its tokens as the server counts them. */
export async function embed({ baseUrl, apiKey, model }: EmbedTarget, input: readonly string[]): Promise<number> {
  const response = await fetch(`${baseUrl}/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input, encoding_format: 'base64' }),
  })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  const { usage, data } = (await response.json()) as { usage: { prompt_tokens: number }; data: unknown[] }
  if (data.length !== input.length) throw new Error(`${data.length} vectors for ${input.length} texts`)
  return usage.prompt_tokens
}
