/** Tokens a second of both layouts of the KV cache, as they were measured on a card. */
import type { CacheLayout } from '../../../core/cache-layout.ts'

/**
 * Output tokens a second of whole runs: H200, CUDA, 8B model with Q8_0 weights, prompts of 308 tokens, 128 tokens out. In one cache each row
 * of a step has a mask of the cells of all sequences, made by the CPU (6.6 ms a step of 64 rows), and visits all of them.
 */
const measured = [
  { streams: 1, oneCache: 192, cacheForEach: 191 },
  { streams: 8, oneCache: 359, cacheForEach: 511 },
  { streams: 32, oneCache: 507, cacheForEach: 796 },
  { streams: 64, oneCache: 523, cacheForEach: 879 },
] as const
/** Tokens that each stream held on average in those runs. */
const measuredTokens = 372
/** A step in one cache takes 1.26 (8 rows) to 1.46 times (64) as long with 45,000 more tokens there; with a cache for each 1.02 to 1.06. */
const slowerForEachToken = 0.35 / 45_000

export interface Streams {
  readonly streams: number
  /** Tokens that a stream holds on average. */
  readonly meanTokens: number
}

/** Returns how many of the streams the layout has sequences and room for, at least 1. */
export function servedStreams(
  { isUnified, sequences, tokensEach }: CacheLayout,
  { streams, meanTokens }: Streams,
): number {
  const held = isUnified && meanTokens > 0 ? Math.floor(tokensEach / meanTokens) : sequences
  return Math.max(1, Math.min(streams, sequences, held))
}

/** Returns the rate of the streams that it serves at once, interpolated by the logarithm of their number. */
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
