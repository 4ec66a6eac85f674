/** Abilities learned from llama.cpp's own templates. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  allAbilities,
  openTemplateModels,
  shippedTemplate,
  type TemplateModels,
} from '../../../testing/template-models.ts'
import { plainestAbilities, type TemplateAbilities } from '../../shared/messages/template-abilities.ts'
import { learnAbilities } from './learn-abilities.ts'

let models: TemplateModels

beforeAll(async () => {
  models = await openTemplateModels()
})

afterAll(() => models.dispose())

const strict = { repeatsRoles: false, userAfterResults: false, assistantFirst: false, looseResults: false } as const

/** The template opens the assistant's turn only after a user's message. */
const opensForUsers = { system: 'first', withoutUser: false } as const

test.each<[template: string, lacks: Partial<TemplateAbilities>]>([
  ['Qwen-Qwen3-0.6B', {}],
  ['Qwen-Qwen2.5-7B-Instruct', { thinks: false }],
  ['Qwen3.5-4B', { system: 'first', assistantFirst: false, withoutUser: false }],
  ['GigaChat3-10B-A1.8B', { withoutUser: false, calls: 'one', thinks: false }],
  ['openbmb-MiniCPM5-1B', { nestedArguments: false }],
  ['deepseek-ai-DeepSeek-V3.1', { ...opensForUsers, tools: 'syntax' }],
  ['deepseek-ai-DeepSeek-V3.2', opensForUsers],
  ['GLM-4.6', {}],
  ['mistralai-Ministral-3-14B-Reasoning-2512', { ...strict, ...opensForUsers }],
  [
    'mistralai-Mistral-Nemo-Instruct-2407',
    { ...strict, system: 'nowhere', withoutUser: false, textBesideCalls: false, anyIds: false, thinks: false },
  ],
])('%s lacks %o', async (template, lacks) => {
  expect(await learnAbilities(await models.load(shippedTemplate(template)))).toEqual({ ...allAbilities, ...lacks })
})

test('a template that shows no calls is known by that', async () => {
  expect(await learnAbilities(await models.load(shippedTemplate('microsoft-Phi-3.5-mini-instruct')))).toMatchObject({
    ...{ system: 'anywhere', calls: 'none', looseResults: false, tools: 'none', thinks: false },
  })
})

test('a template that refuses everything has no abilities', async () => {
  const applyTemplate = () => Promise.reject(new Error('no'))
  expect(await learnAbilities({ applyTemplate })).toEqual(plainestAbilities)
})
