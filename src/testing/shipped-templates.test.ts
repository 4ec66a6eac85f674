/** The facts that the catalog reads in a template's text are those that llama.cpp finds by rendering it. */
import { afterAll, expect, test } from 'bun:test'
import type { TemplateFacts } from '../core/model.ts'
import { readTemplate } from '../catalog/template-facts.ts'
import { learnAbilities } from '../engines/llama/prompt/learn-abilities.ts'
import { openTemplateModels, shippedTemplate, shippedTemplateNames } from './template-models.ts'

const models = await openTemplateModels()
afterAll(() => models.dispose())

/** Templates about whose thinking llama.cpp's parser and their own text do not agree: it takes tags that they never write, or knows none. */
const otherThinking = [
  ...['unsloth-mistral-Devstral-Small-2507', 'Kimi-K2-Instruct', 'moonshotai-Kimi-K2', 'LFM2-8B-A1B'],
  ...['muse-glimmer', 'upstage-Solar-Open-100B', 'Apertus-8B-Instruct', 'unsloth-Apriel-1.5'],
]
/** Templates that show calls, of which llama.cpp reads none. */
const unreadCalls = ['deepseek-ai-DeepSeek-R1-Distill-Llama-8B', 'ibm-granite-granite-3.3-2B-Instruct']

test('all templates that llama.cpp ships are known', () => {
  expect(shippedTemplateNames()).toEqual(expect.arrayContaining([...otherThinking, ...unreadCalls]))
  expect(shippedTemplateNames().length).toBeGreaterThan(60)
})

test.each(shippedTemplateNames())(
  '%s',
  async (name) => {
    const text = shippedTemplate(name)
    const facts = readTemplate(text)
    const abilities = await learnAbilities(await models.load(text))
    expect(facts.callsTools).toBe(unreadCalls.includes(name) ? true : abilities.tools !== 'none')
    expect((facts.reasoning !== 'none') === abilities.thinks).toBe(!otherThinking.includes(name))
  },
  30_000,
)

test.each<[name: string, reasoning: TemplateFacts['reasoning']]>([
  ['Qwen-Qwen3-0.6B', 'toggle'],
  ['openai-gpt-oss-120b', 'effort'],
  ['Kimi-K2-Thinking', 'always'],
  ['Qwen-Qwen2.5-7B-Instruct', 'none'],
])('%s thinks: %s', (name, reasoning) => {
  expect(readTemplate(shippedTemplate(name))).toEqual({ callsTools: true, reasoning })
})
