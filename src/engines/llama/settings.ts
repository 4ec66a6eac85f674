/** The llama engine's settings. */
import type { SettingRow, Values } from '../../core/setting.ts'
import { maximumTokens, sharedSettings } from '../shared/shared-settings.ts'

export const llamaSettings = {
  parallel: sharedSettings.parallel,
  'context-tokens': sharedSettings['context-tokens'],
  'request-tokens': {
    kind: 'integer',
    min: 0,
    max: maximumTokens,
    fallback: '0',
    help: 'Longest prompt and answer of one request together; 0: as long as the model and its KV cache allow',
  },
  'max-waiting': sharedSettings['max-waiting'],
  'prefix-cache-mb': {
    kind: 'integer',
    min: 0,
    max: 1_048_576,
    fallback: '1024',
    help: 'Memory of a model for the prompts of earlier requests; 0: every request computes its whole prompt',
  },
  'image-cache-mb': {
    kind: 'integer',
    min: 0,
    max: 1_048_576,
    fallback: '256',
    help: 'Memory of a model for what it has seen in pictures; 0: every request encodes its pictures again',
  },
  'image-tokens': {
    kind: 'integer',
    min: 0,
    max: 65_536,
    fallback: '0',
    help: 'Most tokens that a picture takes, where the model has pictures of several sizes; 0: as the model says',
  },
  'batch-tokens': {
    kind: 'integer',
    min: 32,
    max: 65_536,
    fallback: '512',
    help: 'Most tokens decoded together; a step on a GPU may hold four times as many',
  },
  threads: sharedSettings.threads,
  device: sharedSettings.device,
  'kv-type': {
    kind: 'choice',
    choices: ['f16', 'q8_0', 'q4_0'],
    fallback: 'f16',
    help: 'Number format of the KV cache; q8_0 halves its memory',
  },
  'flash-attention': {
    kind: 'choice',
    choices: ['auto', 'on', 'off'],
    fallback: 'auto',
    help: 'Attention without the large intermediate matrix',
  },
  speculative: {
    kind: 'choice',
    choices: ['auto', 'off', 'mtp'],
    fallback: 'auto',
    help: 'Guess the next tokens from what a text repeats, and check several in one step where that is faster; answers stay the same. mtp: also by the draft head in the file of the model',
  },
  'share-cache': {
    kind: 'switch',
    fallback: 'false',
    help: 'Reuse cached prompts across accounts (timing then tells one account what another asked)',
    changesMemory: false,
  },
  'keep-alive': sharedSettings['keep-alive'],
} as const satisfies Record<string, SettingRow>

export type LlamaSettings = Values<typeof llamaSettings>
