import { chatTemplates } from '../../../src/testing/gguf/chat-templates.ts'
import { fileVocabulary } from '../../../src/testing/gguf/file-vocabulary.ts'
import type { ModelPlan } from '../../../src/testing/gguf/model-file.ts'
import { randomModel } from '../../../src/testing/gguf/random-model.ts'
import { proportionedShape } from '../../../src/testing/gguf/sized-shape.ts'

/**
 * The benchmark's model: the shape of a common 0.5 B chat model, random weights, real tokenizer taken from
 * `vocabularyPath`. Rejects when that file cannot be read.
 */
export async function benchPlan(
  vocabularyPath: string,
  seed: number,
  chatTemplate: string = chatTemplates.chatml,
): Promise<ModelPlan> {
  return randomModel({
    architecture: 'qwen2',
    shape: proportionedShape('bench-0.5b', 896, 24, { feedForward: 4864, heads: 14, keyValueHeads: 2 }),
    vocabulary: await fileVocabulary(vocabularyPath),
    chatTemplate,
    seed,
  })
}
