/** Measured tokens a second of both KV cache layouts on a GPU. */
import type { CacheLayout } from '../../../core/cache-layout.ts'

/**
 * Output tokens a second of whole runs: H200, CUDA, 8B model with Q8_0 weights, prompts of 308 tokens, 128 tokens out.
 * In one cache each row of a step visits the cells of all sequences, with a mask of them that the CPU makes (6.6 ms for
 * a step of 64 rows).
 */
const measured = [
  { streams: 1, oneCache: 192, cacheForEach: 191 },
  { streams: 8, oneCache: 359, cacheForEach: 511 },
  { streams: 32, oneCache: 507, cacheForEach: 796 },
  { streams: 64, oneCache: 523, cacheForEach: 879 },
] as const
/** Average tokens per stream in those runs. */
const measuredTokens = 372
/**
 * Relative slowdown per token in one cache. With 45,000 more tokens a step takes 1.26 (8 rows) to 1.46 (64 rows) times
 * as long; with a cache for each sequence 1.02 to 1.06 times.
 */
const slowerForEachToken = 0.35 / 45_000

export interface Streams {
  readonly streams: number
  /** Average tokens per stream. */
  readonly meanTokens: number
}

/** Returns the number of streams for which the layout has sequences and room, at least 1. */
export function servedStreams(
  { isUnified, sequences, tokensEach }: CacheLayout,
  { streams, meanTokens }: Streams,
): number {
  const held = isUnified && meanTokens > 0 ? Math.floor(tokensEach / meanTokens) : sequences
  return Math.max(1, Math.min(streams, sequences, held))
}

/** Returns the tokens a second of all streams served at once, interpolated by the logarithm of their number. */
export function tokensPerSecond(layout: CacheLayout, demand: Streams): number {
  const { isUnified } = layout
  const { meanTokens } = demand
  const width = servedStreams(layout, demand)
  if (!isUnified) return rateAt(width, ({ cacheForEach }) => cacheForEach)
  const slower = 1 + slowerForEachToken * width * (meanTokens - measuredTokens)
  return rateAt(width, ({ oneCache }) => oneCache) / Math.max(1, slower)
}

function rateAt(width: number, rate: (row: (typeof measured)[number]) => number): number {
  const below = measured.findLast((row) => row.streams <= width) ?? measured[0]
  const above = measured.find((row) => row.streams >= width) ?? below
  if (above.streams <= below.streams) return rate(below)
  const part = Math.log(width / below.streams) / Math.log(above.streams / below.streams)
  return rate(below) + part * (rate(above) - rate(below))
}
