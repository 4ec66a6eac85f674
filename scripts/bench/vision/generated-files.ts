import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeModel } from '../../../src/testing/gguf/model-file.ts'
import { randomProjector } from '../../../src/testing/gguf/random-projector.ts'
import { modelOfShape, proportionedShape } from '../../../src/testing/gguf/sized-shape.ts'

const width = 512

/**
 * Returns a chat model of 25 million parameters, and a projector in the shape of a common vision encoder (SigLIP base,
 * 384 pixels: 576 entries per picture). Both have random weights, and are written once below `build/`. Encoding a
 * picture takes far longer than a token.
 */
export async function generatedFiles(root: string): Promise<{ model: string; projector: string }> {
  const folder = join(root, 'build', 'bench')
  const [model, projector] = [join(folder, 'vision-25m.gguf'), join(folder, 'vision-25m-mmproj.gguf')]
  await mkdir(folder, { recursive: true })
  const shape = { layers: 12, width: 768, feedForward: 3072, heads: 12, imageSize: 384, patchSize: 16 }
  if (!existsSync(model)) await writeModel(modelOfShape('qwen2', proportionedShape('vision-25m', width, 8)), model)
  if (!existsSync(projector)) {
    await writeModel(randomProjector({ name: 'vision-25m', ...shape, embeddingSize: width }, 1), projector)
  }
  return { model, projector }
}
