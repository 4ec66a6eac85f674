import type { EngineEvent } from '../../../src/wire/pages/live.ts'

type Counts = Pick<EngineEvent, 'running' | 'parallel' | 'waiting'>

/**
 * Counts requests beyond the engine's parallel slots as waiting: the server admits more than the engine runs at once.
 */
export function engineLoad({ running, parallel, waiting }: Counts): {
  readonly running: number
  readonly waiting: number
} {
  const slots = parallel === null || parallel === 0 ? running : parallel
  return { running: Math.min(running, slots), waiting: waiting + Math.max(0, running - slots) }
}

/** Returns the used share of the engine's cache, 0 to 1; undefined if the engine does not report it. */
export function cacheShare({
  cache_tokens: held,
  cache_limit_tokens: limit,
}: Pick<EngineEvent, 'cache_tokens' | 'cache_limit_tokens'>): number | undefined {
  if (held === null || limit === null || limit === 0) return undefined
  return Math.min(1, held / limit)
}
