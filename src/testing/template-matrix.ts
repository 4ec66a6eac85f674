/** Puts every history through templates, and tells what they refuse and which words they lose. */

import { preparePrompt } from '../engines/llama/prompt/prepare-prompt.ts'
import type { TemplateAbilities } from '../engines/messages/template-abilities.ts'
import { histories } from './histories.ts'
import { shippedTemplate, type TemplateModels } from './template-models.ts'

export interface MatrixRow {
  readonly template: string
  readonly abilities: TemplateAbilities
  /** Histories that the template refuses, each with its words. */
  readonly refused: readonly string[]
  /** Histories of which words are missing in the prompt, each with those words. */
  readonly lost: readonly string[]
  readonly elapsedMs: number
}

/** Templates at a time: rendering takes a thread of its own. */
const concurrent = 2

export async function templateMatrix(
  models: TemplateModels,
  templates: readonly string[],
  onRow: (row: MatrixRow) => void = () => undefined,
): Promise<MatrixRow[]> {
  const rows: MatrixRow[] = []
  const waiting = [...templates]
  const work = async () => {
    for (let template = waiting.shift(); template !== undefined; template = waiting.shift()) {
      const row = await matrixRow(models, template)
      onRow(row)
      rows.push(row)
    }
  }
  await Promise.all(Array.from({ length: concurrent }, work))
  return rows.toSorted((one, other) => one.template.localeCompare(other.template))
}

async function matrixRow(models: TemplateModels, template: string): Promise<MatrixRow> {
  const startMs = performance.now()
  const model = await models.load(shippedTemplate(template))
  const refused: string[] = []
  const lost: string[] = []
  for (const { name, request, words } of histories) {
    try {
      const { prompt } = await preparePrompt(model, request)
      const missing = words.filter((word) => !prompt.includes(word))
      if (missing.length > 0) lost.push(`${name}: ${missing.join(' ')}`)
    } catch (error) {
      refused.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { template, abilities: model.abilities, refused, lost, elapsedMs: performance.now() - startMs }
}
