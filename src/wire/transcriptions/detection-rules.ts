/** Field `chunking_strategy`: how speech is found in a recording. */
import { type Static, Type } from '@sinclair/typebox'
import type { DetectionRules } from '../../core/speech.ts'

const most = { silenceMs: 10_000, paddingMs: 1_000 }

const ServerVad = Type.Object({
  type: Type.Literal('server_vad'),
  threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  silence_duration_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: most.silenceMs })),
  prefix_padding_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: most.paddingMs })),
})

export const chunkingStrategy = Type.Union([Type.Literal('auto'), ServerVad], {
  description: `'auto', or of type 'server_vad' with 'threshold' from 0 to 1, 'silence_duration_ms' of at most ${most.silenceMs} and 'prefix_padding_ms' of at most ${most.paddingMs}`,
})

/** Returns the client's rules; undefined where the engine's own hold. */
export function detectionRules(strategy: Static<typeof chunkingStrategy> | undefined): DetectionRules | undefined {
  if (strategy === undefined || strategy === 'auto') return undefined
  const { threshold, silence_duration_ms: silenceMs, prefix_padding_ms: paddingMs } = strategy
  return {
    threshold,
    silenceSeconds: silenceMs === undefined ? undefined : silenceMs / 1000,
    paddingSeconds: paddingMs === undefined ? undefined : paddingMs / 1000,
  }
}
