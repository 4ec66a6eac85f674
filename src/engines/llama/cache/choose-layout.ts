/**
 * Chooses between one KV cache for all sequences and one for each. Pure.
 *
 * 1. The operator decides first: `--request-tokens` means a cache for each sequence if `--parallel` times that fits
 *    into `--context-tokens`, else one cache. Without it, there is a cache for each if the model's longest request fits
 *    into one.
 * 2. One cache if the CPU computes, even if only some layers.
 * 3. One cache for a model with a draft head, which proposes for several answers only within one cache; with a sliding
 *    window, since a cache for each would hold a window and a micro-batch per sequence; and with positions that depend
 *    on the length of the cache (LongRoPE), since its answers must not depend on the layout.
 * 4. On a GPU the fastest layout for the present number of streams (`layout-rates.ts`) that holds the longest request:
 *    one cache, one for each sequence, or half, a quarter … as many, each as much larger. A layout that serves only
 *    some of the requests at once must be 1.5 times as fast. Among nearly equal layouts the one with the most caches
 *    wins.
 * 5. A layout is left at once when a request outgrows it; otherwise after at least 512 steps, for one that is a fifth
 *    faster, because all running sequences have to move.
 */
import type { CacheLayout, ReasonedLayout } from '../../../core/cache-layout.ts'
import { type Streams, servedStreams, tokensPerSecond } from './layout-rates.ts'

/** llama.cpp rounds caches to multiples of 256 tokens. */
const cacheStepTokens = 256
/** Minimum factor in tokens a second that justifies a change. */
const worthChanging = 1.2
/** Minimum steps between two changes, unless a request forces one. */
const settledSteps = 512
/** Minimum factor in tokens a second for a layout in which some requests have to wait. */
const worthWaiting = 1.5
/** Share of the best rate from which a layout counts as equally fast. */
const nearlyEqual = 0.95

export interface CacheSetup {
  /** True if devices other than a CPU compute all layers. */
  readonly isOnGpu: boolean
  readonly contextTokens: number
  readonly parallel: number
  /** True if the operator has set `--request-tokens`. */
  readonly isSet: boolean
  /** True if `parallel` requests of any length fit into `contextTokens`. */
  readonly allFit: boolean
  readonly hasDraftHead: boolean
  readonly hasSlidingWindow: boolean
  readonly hasLongFactors: boolean
}

/**
 * Returns the possible layouts of a context, the one with the most caches first. A model starts with the first one
 * until requests come; a single layout never changes.
 */
export function possibleLayouts(setup: CacheSetup): readonly [ReasonedLayout, ...ReasonedLayout[]] {
  const { contextTokens, parallel, isSet, allFit } = setup
  const one = { isUnified: true, sequences: parallel, tokensEach: contextTokens }
  const each = { isUnified: false, sequences: parallel, tokensEach: Math.floor(contextTokens / parallel) }
  if (isSet) return [{ ...(allFit ? each : one), reason: 'request-tokens' }]
  if (allFit) return [{ ...each, reason: 'all-fit' }]
  if (!setup.isOnGpu) return [{ ...one, reason: 'cpu' }]
  if (setup.hasDraftHead) return [{ ...one, reason: 'draft-head' }]
  if (setup.hasSlidingWindow) return [{ ...one, reason: 'sliding-window' }]
  if (setup.hasLongFactors) return [{ ...one, reason: 'long-factors' }]
  const [first, ...others] = [...eachLayouts(contextTokens, parallel), one]
  const larger = others.map((layout) => ({ ...layout, reason: 'long-requests' as const }))
  return [{ ...(first ?? one), reason: 'fastest' }, ...larger]
}

/** Returns the layouts with separate caches for `parallel` sequences, half as many, and so on, down to two. */
function eachLayouts(contextTokens: number, parallel: number): CacheLayout[] {
  const layouts: CacheLayout[] = []
  for (let sequences = parallel; sequences > 1; sequences = Math.floor(sequences / 2)) {
    const tokensEach = Math.floor(contextTokens / sequences / cacheStepTokens) * cacheStepTokens
    if (tokensEach > 0) layouts.push({ isUnified: false, sequences, tokensEach })
  }
  return layouts
}

export interface Demand extends Streams {
  /** Tokens of the longest request that runs, waits, or is among the latest ended ones. */
  readonly longestTokens: number
  /** Steps since the last change. */
  readonly steps: number
}

/** Returns the layout for the next step: `current` if no other one justifies the change. */
export function nextLayout<Layout extends CacheLayout>(
  layouts: readonly Layout[],
  current: Layout,
  demand: Demand,
): Layout {
  const holds = ({ tokensEach }: CacheLayout) => tokensEach >= demand.longestTokens
  const rate = (layout: CacheLayout) =>
    tokensPerSecond(layout, demand) / (servedStreams(layout, demand) < demand.streams ? worthWaiting : 1)
  const fitting = layouts.filter(holds)
  const most = Math.max(...fitting.map(rate))
  const best = fitting.find((layout) => rate(layout) >= nearlyEqual * most)
  if (best === undefined) return current
  if (!holds(current)) return best
  return demand.steps >= settledSteps && rate(best) >= worthChanging * rate(current) ? best : current
}
