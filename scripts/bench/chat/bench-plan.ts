import type { ModelShape } from '../../../src/testing/gguf/architectures.ts'
import { chatTemplates } from '../../../src/testing/gguf/chat-templates.ts'
import { fileVocabulary } from '../../../src/testing/gguf/file-vocabulary.ts'
import type { ModelPlan } from '../../../src/testing/gguf/model-file.ts'
import { randomModel } from '../../../src/testing/gguf/random-model.ts'
import { proportionedShape } from '../../../src/testing/gguf/sized-shape.ts'

export type BenchSize = 'small' | 'large'

/** Shapes of common chat models of 0.5 B and of 8 B parameters. */
const shapes: Readonly<Record<BenchSize, ModelShape>> = {
  small: proportionedShape('bench-0.5b', 896, 24, { feedForward: 4864, heads: 14, keyValueHeads: 2 }),
  large: proportionedShape('bench-8b', 4096, 32, { feedForward: 14_336, heads: 32, keyValueHeads: 8, headWidth: 128 }),
}

/** Weights. The large model has 4 bits, as people usually serve it. */
const weights = { small: 'q8_0', large: 'q4_0' } as const

/** Returns a chat model of random weights with the real tokenizer of `vocabularyPath`. Rejects when that file cannot be read. */
export async function benchPlan(
  vocabularyPath: string,
  seed: number,
  chatTemplate: string = chatTemplates.chatml,
  size: BenchSize = 'small',
): Promise<ModelPlan> {
  return randomModel({
    architecture: 'qwen2',
    shape: shapes[size],
    vocabulary: await fileVocabulary(vocabularyPath),
    chatTemplate,
    seed,
    weights: weights[size],
  })
}
