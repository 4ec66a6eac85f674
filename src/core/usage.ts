/** Usage of one request, counted by the engine. */
export interface Usage {
  /** Tokens of the rendered prompt, including cached ones. Of a cancelled request only the processed ones. */
  readonly promptTokens: number
  /** Prompt tokens that were already in the KV cache; at most `promptTokens`. */
  readonly cachedTokens: number
  /** Generated tokens over all choices, including reasoning. */
  readonly completionTokens: number
  /** Generated tokens inside the reasoning block; at most `completionTokens`. */
  readonly reasoningTokens: number
}

/** All amounts by which models are priced. 0 if not applicable. */
export interface Consumption extends Usage {
  /** Characters of generated speech. */
  readonly characters: number
  /** Transcribed milliseconds of audio. */
  readonly audioMs: number
  /** Generated pictures. */
  readonly images: number
  /** Searches of the web that gave an answer. Absent without any. */
  readonly searches?: number | undefined
}

/** Amounts that an engine measures. */
export type Dimension = Exclude<keyof Consumption, 'searches'>

export const nothingConsumed: Consumption = {
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  characters: 0,
  audioMs: 0,
  images: 0,
}

/** Returns the use of two parts of one request. */
export function plusUse(one: Consumption, other: Consumption): Consumption {
  const searches = (one.searches ?? 0) + (other.searches ?? 0)
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    characters: one.characters + other.characters,
    audioMs: one.audioMs + other.audioMs,
    images: one.images + other.images,
    ...(searches > 0 && { searches }),
  }
}

/** First event of all work: computing begins. */
export interface StartEvent {
  readonly type: 'start'
  /** Tokens of the prompt or the texts; 0 for other work. */
  readonly promptTokens: number
  /** Part of them that was already in the cache. */
  readonly cachedTokens: number
}

/** Last event of all work. */
export interface FinishEvent {
  readonly type: 'finish'
  readonly usage: Consumption
  /** Prompt tokens that are pictures. Absent if there are none. */
  readonly imageTokens?: number
  /** Prompt tokens that are recordings. Absent if there are none. */
  readonly audioTokens?: number
  /** True if the engine could not count `usage` completely. Absent if it did. */
  readonly isEstimated?: true | undefined
}

/** Groupings of usage. Days are UTC. A holder is the person whose key it was, whoever paid. */
export const usageGroupings = ['day', 'model', 'key', 'holder', 'account'] as const
export type UsageGrouping = (typeof usageGroupings)[number]

/** Returns whether groups have a display name beside their id. */
export function isNamed(by: UsageGrouping): boolean {
  return by !== 'day' && by !== 'model'
}

/** Measures by which models, keys or accounts are ordered. `tokens` counts prompts and answers together. */
export const usageMeasures = ['cost', 'requests', 'tokens', 'audio'] as const
export type UsageMeasure = (typeof usageMeasures)[number]

/** Usage and cost of several requests together. */
export interface UsageTotals extends Omit<Consumption, 'searches'> {
  readonly requests: number
  readonly costNanoUsd: number
  readonly chargedNanoUsd: number
  /** Requests whose usage no engine counted. */
  readonly estimatedRequests: number
  /** Cost of these requests, part of the whole cost. */
  readonly estimatedCostNanoUsd: number
}

/** A day, a model, a key, a person or an account. */
interface UsageGroup {
  readonly by: UsageGrouping
  /** `YYYY-MM-DD`, or an id. */
  readonly id: string
  /** Display name: a key's name, an account's or a holder's address. Null for days and models. */
  readonly label: string | null
  /** Display name of a key's account, only in reports of all accounts, where key names may repeat. */
  readonly owner?: string | null
}

/** Usage of the requests in all of these groups. */
export interface GroupedUsage extends UsageTotals {
  readonly groups: readonly UsageGroup[]
}

export interface UsageReport {
  readonly rows: readonly GroupedUsage[]
  /** Sum of the rows. */
  readonly total: UsageTotals
}
