/** Settings that more than one engine has. */
import type { SettingRow } from '../../core/setting.ts'

/** Largest accepted context, in tokens. No engine could hold more, and it fits in 32 bits. */
export const maximumTokens = 16_777_216

export const sharedSettings = {
  parallel: { kind: 'integer', min: 1, max: 256, fallback: '8', help: 'Requests a model works on side by side' },
  'context-tokens': {
    kind: 'integer',
    min: 256,
    max: maximumTokens,
    fallback: '32768',
    help: 'KV cache of a model, shared by its requests; no request may be longer',
  },
  'max-waiting': {
    kind: 'integer',
    min: 1,
    max: 65_536,
    fallback: '512',
    help: 'Most chats, recordings and texts to speak that wait for a model; one account may have as many waiting as places are free',
    changesMemory: false,
  },
  threads: {
    kind: 'integer',
    min: 0,
    max: 1024,
    fallback: '0',
    help: 'CPU threads of a model, fewer while other models are busy too; 0: physical cores minus one, of speech models all',
  },
  device: {
    kind: 'choice',
    choices: ['auto', 'cpu', 'vulkan', 'cuda'],
    fallback: 'auto',
    help: 'What models run on; auto takes the best that computes',
  },
  'keep-alive': {
    kind: 'duration',
    allowsNever: true,
    fallback: 'never',
    help: 'A model that has had no request for this long is unloaded, and loaded again by the next one; never: only when another model needs its memory',
    changesMemory: false,
  },
} as const satisfies Record<string, SettingRow>
