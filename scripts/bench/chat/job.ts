/** One request of the benchmark, the same for every peer. */
export interface Job {
  /** The user message; everything else of the prompt is the chat template's. */
  readonly prompt: string
  readonly tokens: number
  readonly temperature: number
  readonly seed: number
}

/** Sampling every peer is told to use, besides temperature and seed. */
export const sampling = { topK: 40, topP: 0.95, minP: 0.05 } as const

/** What was seen of one request. Times are milliseconds from the moment before it was sent. */
export interface JobResult {
  /** When each piece of text arrived; the first one is the time to first token. */
  readonly arrivalsMs: readonly number[]
  readonly totalMs: number
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
}

export function firstTokenMs({ arrivalsMs, totalMs }: JobResult): number {
  return arrivalsMs[0] ?? totalMs
}

/** Between two pieces of text each. */
export function gapsMs({ arrivalsMs }: JobResult): number[] {
  return arrivalsMs.slice(1).map((ms, index) => ms - (arrivalsMs[index] ?? 0))
}
