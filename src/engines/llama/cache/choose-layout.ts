/**
 * Chooses between one KV cache for all sequences and a cache for each. Pure decisions.
 *
 * 1. The operator's word: with `--request-tokens` it is a cache for each where `--parallel` times that fits into `--context-tokens`,
 *    and one cache otherwise. Without it a cache for each where the model allows no longer requests than fit into one.
 * 2. One cache where the CPU computes, if only a part of the layers.
 * 3. One cache for a model with a draft head, which proposes for several answers in one cache alone, and for one with a sliding window:
 *    a cache for each would hold a window and a micro-batch for each sequence. And for one that computes positions by the length of its cache
 *    (LongRoPE): what it says must not depend on the layout.
 * 4. On a GPU the fastest layout at the present number of streams (`layout-rates.ts`) that holds the longest request: one cache, a cache for
 *    each, or half, a quarter … as many caches, each as much larger. One that serves fewer than all must be half as fast again; among
 *    nearly equal ones it is the one with the most caches.
 * 5. A layout is left at once when a request outgrows it. Otherwise it is left for one that gives a fifth more, and not before 512 steps: all
 *    that runs has to move.
 */
import type { CacheLayout, ReasonedLayout } from '../../../core/cache-layout.ts'
import { type Streams, servedStreams, tokensPerSecond } from './layout-rates.ts'

/** llama.cpp makes caches of multiples of 256 tokens. */
const cacheStepTokens = 256
/** Least factor in tokens a second that a change is made for. */
const worthChanging = 1.2
/** Steps between a change and the next one that nothing forces. */
const settledSteps = 512
/** Factor in tokens a second that a layout must give for which some requests have to wait for others. */
const worthWaiting = 1.5
/** Share of the best rate from which a layout counts as equally fast. */
const nearlyEqual = 0.95

export interface CacheSetup {
  /** All layers are computed on devices that are no CPU. */
  readonly isOnGpu: boolean
  readonly contextTokens: number
  readonly parallel: number
  /** The operator has set `--request-tokens`. */
  readonly isSet: boolean
  /** `parallel` requests fit into `contextTokens`, however long they are. */
  readonly allFit: boolean
  readonly hasDraftHead: boolean
  readonly hasSlidingWindow: boolean
  readonly hasLongFactors: boolean
}

/**
 * Returns the layouts that a context may have, that with the most caches first. A model that comes without requests begins with the first one,
 * and a single one stays for good.
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

/** Returns layouts with a cache for each of `parallel` sequences, then for half as many, and so on, down to two. */
function eachLayouts(contextTokens: number, parallel: number): CacheLayout[] {
  const layouts: CacheLayout[] = []
  for (let sequences = parallel; sequences > 1; sequences = Math.floor(sequences / 2)) {
    const tokensEach = Math.floor(contextTokens / sequences / cacheStepTokens) * cacheStepTokens
    if (tokensEach > 0) layouts.push({ isUnified: false, sequences, tokensEach })
  }
  return layouts
}

export interface Demand extends Streams {
  /** Tokens of the longest request among those that run or wait and the latest that have ended. */
  readonly longestTokens: number
  /** Steps since the last change. */
  readonly steps: number
}

/** Returns the layout for the next step: `current` where another one is not worth the change. */
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
