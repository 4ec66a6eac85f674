import { chatTemplates } from '../../../src/testing/gguf/chat-templates.ts'
import { fileVocabulary } from '../../../src/testing/gguf/file-vocabulary.ts'
import type { ModelPlan } from '../../../src/testing/gguf/model-file.ts'
import { qwen2Plan } from '../../../src/testing/gguf/qwen2-plan.ts'

/**
 * The benchmark's model: the shape of a common 0.5 B chat model, random weights, real tokenizer taken from
 * `vocabularyPath`. Rejects when that file cannot be read.
 */
export async function benchPlan(vocabularyPath: string, seed: number): Promise<ModelPlan> {
  return qwen2Plan({
    shape: {
      name: 'bench-0.5b',
      layers: 24,
      width: 896,
      feedForward: 4864,
      heads: 14,
      keyValueHeads: 2,
      contextTokens: 32_768,
    },
    vocabulary: await fileVocabulary(vocabularyPath),
    chatTemplate: chatTemplates.chatml,
    seed,
  })
}
