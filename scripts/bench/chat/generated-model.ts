import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeModel } from '../../../src/testing/gguf/model-file.ts'
import { benchPlan } from './bench-plan.ts'
import { bundledVocabulary } from './bundled-vocabulary.ts'

/** Path of a model of about 0.5 B parameters with random weights (525 MB), written once below `build/`. */
export async function generatedModel(root: string): Promise<string> {
  const folder = join(root, 'build', 'bench')
  const path = join(folder, 'bench-0.5b-q8_0.gguf')
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true })
  await writeModel(await benchPlan(await bundledVocabulary(root), 1), path)
  return path
}
