/**
 * Every template that ships with llama.cpp shows histories of every shape, and has the abilities that the catalog finds
 * in its text. `bun run template-matrix` prints the table.
 */
import { beforeAll, expect, test } from 'bun:test'
import { readTemplate } from '../catalog/template-facts.ts'
import type { TemplateFacts } from '../core/model.ts'
import { histories } from './histories.ts'
import { type MatrixRow, templateMatrix } from './template-matrix.ts'
import { openTemplateModels, shippedTemplate, shippedTemplateNames } from './template-models.ts'

let rows: readonly MatrixRow[] = []

// Computed once for all tests, since learning templates takes many renderings.
beforeAll(async () => {
  const models = await openTemplateModels()
  try {
    rows = await templateMatrix(models, shippedTemplateNames())
  } finally {
    await models.dispose()
  }
}, 300_000)

/**
 * Templates whose text contradicts llama.cpp's parser about thinking: the parser expects tags that they never write, or
 * knows none.
 */
const otherThinking = [
  ...['unsloth-mistral-Devstral-Small-2507', 'Kimi-K2-Instruct', 'moonshotai-Kimi-K2', 'LFM2-8B-A1B'],
  ...['muse-glimmer', 'upstage-Solar-Open-100B', 'Apertus-8B-Instruct', 'unsloth-Apriel-1.5'],
]
/** Templates that show calls which llama.cpp does not parse. */
const unreadCalls = ['deepseek-ai-DeepSeek-R1-Distill-Llama-8B', 'ibm-granite-granite-3.3-2B-Instruct']

test('all templates that llama.cpp ships are known', () => {
  expect(shippedTemplateNames()).toEqual(expect.arrayContaining([...otherThinking, ...unreadCalls]))
  expect(shippedTemplateNames().length).toBeGreaterThan(60)
})

test('no template refuses a history for its shape, loses a word of it, or leaves thinking in front of JSON', () => {
  expect(rows.length).toBeGreaterThanOrEqual(69)
  expect(histories.length).toBeGreaterThanOrEqual(40)
  const problems = rows.flatMap(({ template, refused, lost, mixed }) =>
    [...refused, ...lost, ...mixed].map((problem) => `${template}, ${problem}`),
  )
  expect(problems).toEqual([])
})

test.each(shippedTemplateNames())('%s', (name) => {
  const facts = readTemplate(shippedTemplate(name))
  const abilities = rows.find(({ template }) => template === name)?.abilities
  expect(facts.callsTools).toBe(unreadCalls.includes(name) ? true : abilities?.tools !== 'none')
  expect((facts.reasoning !== 'none') === abilities?.thinks).toBe(!otherThinking.includes(name))
})

test.each<[name: string, reasoning: TemplateFacts['reasoning']]>([
  ['Qwen-Qwen3-0.6B', 'toggle'],
  ['openai-gpt-oss-120b', 'effort'],
  ['Kimi-K2-Thinking', 'always'],
  ['Qwen-Qwen2.5-7B-Instruct', 'none'],
])('%s thinks: %s', (name, reasoning) => {
  expect(readTemplate(shippedTemplate(name))).toEqual({ callsTools: true, reasoning })
})
