/** What one request really used, counted by the engine. */
export interface Usage {
  /** Tokens of the rendered prompt, cached ones included; of a request that was given up those that were processed. */
  readonly promptTokens: number
  /** Prompt tokens that were already in the KV cache; at most `promptTokens`. */
  readonly cachedTokens: number
  /** Generated tokens over all choices, reasoning included. */
  readonly completionTokens: number
  /** Generated tokens inside the reasoning block; at most `completionTokens`. */
  readonly reasoningTokens: number
}

/** Everything that models are priced by; 0 what a request has not. */
export interface Consumption extends Usage {
  /** Of speech. */
  readonly characters: number
  /** Of transcription: milliseconds heard. */
  readonly audioMs: number
}

export const nothingConsumed: Consumption = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  characters: 0,
  audioMs: 0,
}

/** First event of all work: computing begins. */
export interface StartEvent {
  readonly type: 'start'
  /** Tokens of the prompt or the texts; 0 for work that has neither. */
  readonly promptTokens: number
  /** Those of them that were computed before. */
  readonly cachedTokens: number
}

/** Last event of all work. */
export interface FinishEvent {
  readonly type: 'finish'
  readonly usage: Consumption
  /** Those of the prompt's tokens that are pictures'; absent: none. */
  readonly imageTokens?: number
  /** The engine could not count `usage`, or not all of it; absent: it counted. */
  readonly isEstimated?: true | undefined
}

/** What usage is summed up by; days are UTC. */
export const usageGroupings = ['day', 'model', 'key', 'account'] as const
export type UsageGrouping = (typeof usageGroupings)[number]

/** What decides which models, keys or accounts come first. `tokens`: those in and out together. */
export const usageMeasures = ['cost', 'requests', 'tokens', 'audio'] as const
export type UsageMeasure = (typeof usageMeasures)[number]

/** What some requests together used and cost. */
export interface UsageTotals extends Consumption {
  readonly requests: number
  readonly costNanoUsd: number
  readonly chargedNanoUsd: number
  /** Those of the requests whose use no engine counted. */
  readonly estimatedRequests: number
  /** What they cost; a part of the cost. */
  readonly estimatedCostNanoUsd: number
}

/** A day, a model, a key or an account. */
export interface UsageGroup {
  readonly by: UsageGrouping
  /** `YYYY-MM-DD`, or an id. */
  readonly id: string
  /** What people call it: a key's name, an account's address. Days and models have no other name. */
  readonly label: string | null
  /** What people call the account of a key, in a report of all accounts: many keys have the same name. */
  readonly owner?: string | null
}

/** What the requests that are of each of these groups used. */
export interface GroupedUsage extends UsageTotals {
  readonly groups: readonly UsageGroup[]
}

export interface UsageReport {
  readonly rows: readonly GroupedUsage[]
  /** The sum of the rows. */
  readonly total: UsageTotals
}
