import type { NativeAddon, NativeContextOptions, NativeSamplerOptions } from '../engines/llama/native.ts'
import { openRuntime } from '../engines/llama/open-runtime.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'

/** Opens the addon on the CPU, in this process. */
export async function openTestAddon(): Promise<NativeAddon> {
  const { addon } = await openRuntime(await runtimePaths(''), 'cpu')
  return addon
}

/** Options of a small context with four sequences. */
export const testContextOptions: NativeContextOptions = {
  contextTokens: 1024,
  batchTokens: 512,
  microBatchTokens: 128,
  sequences: 4,
  threads: 1,
  kvUnified: true,
  kvType: 'f16',
  flashAttention: 'auto',
}

/** Options that always choose the likeliest token, without a grammar or limits. */
export const greedySampler: NativeSamplerOptions = {
  seed: 1,
  temperature: 0,
  topP: 1,
  topK: 0,
  minP: 0,
  presencePenalty: 0,
  frequencyPenalty: 0,
  repeatPenalty: 1,
  logitBias: [],
  stops: [],
  topLogprobs: -1,
  preservedTokens: [],
  grammar: '',
  grammarLazy: false,
  grammarTriggers: [],
  grammarPrefix: '',
  generationPrompt: '',
  thinkingStartTag: '',
  thinkingEndTags: [],
  thinkingBudgetTokens: -1,
}
