import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeModel } from '../../../src/testing/gguf/model-file.ts'
import { shippedTemplate } from '../../../src/testing/template-models.ts'
import { benchPlan } from './bench-plan.ts'
import { bundledVocabulary } from './bundled-vocabulary.ts'

/**
 * Returns the path of a model of about 0.5 B parameters with random weights (525 MB), written once below `build/`.
 * `template`: one that ships with llama.cpp, for benchmarks with tools. Defaults to a plain one without tools.
 */
export async function generatedModel(root: string, template?: string): Promise<string> {
  const folder = join(root, 'build', 'bench')
  const path = join(folder, template === undefined ? 'bench-0.5b-q8_0.gguf' : `bench-0.5b-q8_0-${template}.gguf`)
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true })
  const chatTemplate = template === undefined ? undefined : shippedTemplate(template)
  const plan = await benchPlan(await bundledVocabulary(root), 1, chatTemplate)
  await writeModel(plan, path)
  return path
}
