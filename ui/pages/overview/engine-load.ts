import type { EngineOnPage } from '../../../src/wire/pages/live.ts'

type Counts = Pick<EngineOnPage, 'running' | 'parallel' | 'waiting'>

/** More requests are let in than are computed side by side: those beyond wait in the engine. */
export function engineLoad({ running, parallel, waiting }: Counts): {
  readonly running: number
  readonly waiting: number
} {
  const slots = parallel === null || parallel === 0 ? running : parallel
  return { running: Math.min(running, slots), waiting: waiting + Math.max(0, running - slots) }
}

/** Of the cells of its cache, the part that is in use; undefined where it does not tell. */
export function cacheShare({
  cache_tokens: held,
  cache_limit_tokens: limit,
}: Pick<EngineOnPage, 'cache_tokens' | 'cache_limit_tokens'>): number | undefined {
  if (held === null || limit === null || limit === 0) return undefined
  return Math.min(1, held / limit)
}
