import type { Usage } from '../../core/usage.ts'

export interface WireDeltaUsage {
  /** Without the cached ones: clients add `cache_read_input_tokens` to it. */
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  /** Thinking included. */
  readonly output_tokens: number
  readonly output_tokens_details: { readonly thinking_tokens: number }
}

export interface WireUsage extends WireDeltaUsage {
  readonly cache_creation: null
  readonly service_tier: 'standard'
  readonly server_tool_use: null
}

/** Token counts as the end of a stream carries them. */
export function toDeltaUsage(usage: Usage): WireDeltaUsage {
  return {
    input_tokens: usage.promptTokens - usage.cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedTokens,
    output_tokens: usage.completionTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  }
}

/** Token counts as a message carries them. */
export function toUsage(usage: Usage): WireUsage {
  return { ...toDeltaUsage(usage), cache_creation: null, service_tier: 'standard', server_tool_use: null }
}
