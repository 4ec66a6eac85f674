import type { UpstreamFlavor } from '../../core/upstream.ts'

/** Details in which kinds of servers differ in their answers. */
export interface Quirks {
  /** Field of thinking in a delta. `both`: the same text in both. */
  readonly reasoning: 'reasoning' | 'reasoning_content' | 'both'
  /** Chunks with usage, if requested. `each`: every chunk and the last one. `last`: only the last one. */
  readonly usage: 'each' | 'last' | 'none'
  /** True if chunks have cumulative counts beside usage, if `timings_per_token` requests them. */
  readonly hasTimings: boolean
  /** Place of the count of thinking tokens in usage. */
  readonly reasoningTokens: 'details' | 'top' | 'none'
  /** Field that names the stop string at which an answer ended. */
  readonly stopString: 'stop_reason' | 'matched_stop' | 'none'
  /** True if tool calls have ids. */
  readonly hasToolIds: boolean
  /** True if the stream ends with `[DONE]`. */
  readonly hasDone: boolean
  /** True if the first chunk has only the role. */
  readonly hasRoleChunk: boolean
  /** True if unused fields of a delta are null. */
  readonly hasNulls: boolean
  /** True if comments are sent between events. */
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
