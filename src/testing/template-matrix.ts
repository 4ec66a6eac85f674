/**
 * Puts every history through templates, and reports histories that they refuse, words that they lose, and histories in
 * which thinking mixes with text.
 */

import { errorText } from '../core/error-text.ts'
import { preparePrompt, type TemplateModel } from '../engines/llama/prompt/prepare-prompt.ts'
import type { TemplateAbilities } from '../engines/shared/messages/template-abilities.ts'
import { histories } from './histories.ts'
import { separatesThinking } from './separates-thinking.ts'
import { shippedTemplate, type TemplateModels } from './template-models.ts'

export interface MatrixRow {
  readonly template: string
  readonly abilities: TemplateAbilities
  /** Refused histories, each with the template's message. */
  readonly refused: readonly string[]
  /** Histories with words missing in the prompt, each with those words. */
  readonly lost: readonly string[]
  /** Histories with a schema in whose answers thinking is not separated from JSON. */
  readonly mixed: readonly string[]
  readonly elapsedMs: number
}

/** Templates whose answers have marks around each message, also behind the thinking. */
const markedAnswers = ['openai-gpt-oss-120b']

/** Templates processed at once: each rendering takes a thread. */
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

/**
 * Returns a model that remembers its renderings: several histories give the same inputs, and some are rendered
 * repeatedly.
 */
function remembering(model: TemplateModel): TemplateModel {
  const known = new Map<string, ReturnType<TemplateModel['applyTemplate']>>()
  return {
    abilities: model.abilities,
    applyTemplate(inputs) {
      const key = JSON.stringify(inputs)
      const format = known.get(key) ?? model.applyTemplate(inputs)
      known.set(key, format)
      return format
    },
    schemaGrammar: (schema) => model.schemaGrammar(schema),
    tokenize: (text, addSpecial, parseSpecial) => model.tokenize(text, addSpecial, parseSpecial),
  }
}

async function matrixRow(models: TemplateModels, template: string): Promise<MatrixRow> {
  const startMs = performance.now()
  const model = remembering(await models.load(shippedTemplate(template)))
  const refused: string[] = []
  const lost: string[] = []
  const mixed: string[] = []
  for (const { name, request, words } of histories) {
    try {
      const { prompt, format } = await preparePrompt(model, request)
      const missing = words.filter((word) => !prompt.includes(word))
      if (missing.length > 0) lost.push(`${name}: ${missing.join(' ')}`)
      const isMarked = markedAnswers.includes(template)
      if (request.answerSchema !== undefined && !isMarked && !separatesThinking(format)) mixed.push(name)
    } catch (error) {
      refused.push(`${name}: ${errorText(error)}`)
    }
  }
  return { template, abilities: model.abilities, refused, lost, mixed, elapsedMs: performance.now() - startMs }
}
