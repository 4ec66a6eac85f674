import type { UpstreamFlavor } from '../../core/upstream.ts'

/** What a server does in its own way when it answers. */
export interface Quirks {
  /** Name of thinking in a delta; `both`: the same text under both. */
  readonly reasoning: 'reasoning' | 'reasoning_content' | 'both'
  /** `each`: on each chunk where it is asked for, and at the end. `last`: at the end where it is asked for. */
  readonly usage: 'each' | 'last' | 'none'
  /** Counts that are cumulated beside usage, on each chunk where `timings_per_token` asks for it. */
  readonly hasTimings: boolean
  /** Where tokens of thinking are told in a usage. */
  readonly reasoningTokens: 'details' | 'top' | 'none'
  /** Where the stop string that ended an answer is told. */
  readonly stopString: 'stop_reason' | 'matched_stop' | 'none'
  /** Calls come with ids. */
  readonly hasToolIds: boolean
  /** The stream ends with `[DONE]`. */
  readonly hasDone: boolean
  /** A chunk with the role alone comes first. */
  readonly hasRoleChunk: boolean
  /** Fields of a delta that says nothing of them are null. */
  readonly hasNulls: boolean
  /** Comments between events. */
  readonly hasComments: boolean
}

const usual: Quirks = {
  reasoning: 'reasoning',
  usage: 'each',
  hasTimings: false,
  reasoningTokens: 'details',
  stopString: 'none',
  hasToolIds: true,
  hasDone: true,
  hasRoleChunk: true,
  hasNulls: false,
  hasComments: false,
}

export const flavorQuirks: Readonly<Record<UpstreamFlavor, Quirks>> = {
  vllm: { ...usual, stopString: 'stop_reason' },
  sglang: {
    ...usual,
    reasoning: 'reasoning_content',
    reasoningTokens: 'top',
    stopString: 'matched_stop',
    hasNulls: true,
  },
  trtllm: { ...usual, reasoning: 'both', reasoningTokens: 'none', stopString: 'stop_reason', hasNulls: true },
  llamacpp: { ...usual, reasoning: 'reasoning_content', usage: 'last', hasTimings: true, reasoningTokens: 'none' },
  openai: { ...usual, reasoning: 'reasoning_content', usage: 'last', hasNulls: true },
  inferd: { ...usual, stopString: 'stop_reason', reasoning: 'reasoning_content', hasComments: true },
}
