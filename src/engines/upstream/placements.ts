import type { EstimatePlacements } from '../engine.ts'

/** Its memory is other machines': the scheduler has nothing to find room for. */
export const upstreamPlacements: EstimatePlacements<unknown> = async () => [
  { key: 'upstream', label: 'upstream', needBytes: {}, load: {} },
]
