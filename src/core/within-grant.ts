import type { Consumption } from './usage.ts'

interface UseWithinGrant {
  readonly used: Consumption
  /** Error that names the exceeded dimension. Undefined if nothing was cut. */
  readonly excess?: Error | undefined
}

/**
 * Returns the usage with each dimension between 0 and its grant, so that it never costs more than was held. Cached and
 * reasoning tokens have no separate grants, as parts of other dimensions.
 */
export function withinGrant(said: Consumption, granted: Consumption): UseWithinGrant {
  const promptTokens = wholeWithin(said.promptTokens, granted.promptTokens)
  const completionTokens = wholeWithin(said.completionTokens, granted.completionTokens)
  const used: Consumption = {
    promptTokens,
    cachedTokens: wholeWithin(said.cachedTokens, promptTokens),
    completionTokens,
    reasoningTokens: wholeWithin(said.reasoningTokens, completionTokens),
    characters: wholeWithin(said.characters, granted.characters),
    audioMs: within(said.audioMs, granted.audioMs),
    images: wholeWithin(said.images, granted.images),
    ...(said.searches !== undefined && { searches: wholeWithin(said.searches, granted.searches ?? 0) }),
  }
  const cut = dimensions.filter((dimension) => used[dimension] !== said[dimension])
  if (cut.length === 0) return { used }
  const parts = cut.map((dimension) => `${dimension} ${said[dimension]}, of which ${used[dimension]} can be`)
  return { used, excess: new Error(`the engine says that it used more than it was granted: ${parts.join('; ')}`) }
}

const dimensions = [
  'promptTokens',
  'cachedTokens',
  'completionTokens',
  'reasoningTokens',
  'characters',
  'audioMs',
  'images',
  'searches',
] as const satisfies readonly (keyof Consumption)[]

function wholeWithin(amount: number, limit: number): number {
  return Math.ceil(within(amount, limit))
}

/** Returns 0 for NaN. */
function within(amount: number, limit: number): number {
  return amount > 0 ? Math.min(amount, limit) : 0
}
