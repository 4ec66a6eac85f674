/** One request of the benchmark, the same for every peer. */
export interface Job {
  /** User message. The chat template adds the rest of the prompt. */
  readonly prompt: string
  readonly tokens: number
  readonly temperature: number
  readonly seed: number
}

/** Sampling of every peer, besides temperature and seed. */
export const sampling = { topK: 40, topP: 0.95, minP: 0.05 } as const

/** Observations of one request. Times are milliseconds since just before it was sent. */
export interface JobResult {
  /** Arrival of each piece of text. The first one is the time to the first token. */
  readonly arrivalsMs: readonly number[]
  readonly totalMs: number
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
}

export function firstTokenMs({ arrivalsMs, totalMs }: JobResult): number {
  return arrivalsMs[0] ?? totalMs
}

/** Returns the times between consecutive pieces of text. */
export function gapsMs({ arrivalsMs }: JobResult): number[] {
  return arrivalsMs.slice(1).map((ms, index) => ms - (arrivalsMs[index] ?? 0))
}
