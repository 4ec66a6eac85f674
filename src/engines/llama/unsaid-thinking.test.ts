/** If a request does not mention thinking, the template gets no setting and does what its authors meant. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Reasoning } from '../../core/chat.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import {
  openTemplateModels,
  shippedTemplate,
  type TemplateModel,
  type TemplateModels,
} from '../../testing/template-models.ts'
import { preparePrompt } from './prompt/prepare-prompt.ts'

let models: TemplateModels

beforeAll(async () => {
  models = await openTemplateModels()
})

afterAll(() => models.dispose())

async function promptOf(model: TemplateModel, reasoning: Reasoning): Promise<string> {
  return (await preparePrompt(model, chatRequest({ reasoning }))).prompt
}

function written(condition: string): string {
  const turns =
    '{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}'
  return `${turns}{% if add_generation_prompt %}<|im_start|>assistant\n{{ ${condition} }}{% endif %}`
}

test.each<[condition: string, unsaid: string, on: string, off: string]>([
  ["'defined' if enable_thinking is defined else 'undefined'", 'undefined', 'defined', 'defined'],
  ["'on' if enable_thinking | default(false) else 'off'", 'off', 'on', 'off'],
  ["'on' if enable_thinking | default(true) else 'off'", 'on', 'on', 'off'],
  ["'on' if thinking is defined and thinking else 'off'", 'off', 'on', 'off'],
  ["'off' if enable_thinking is defined and enable_thinking is false else 'on'", 'on', 'on', 'off'],
  ["'none' if enable_thinking is none else 'some'", 'some', 'some', 'some'],
])('%s: %s', async (condition, unsaid, on, off) => {
  const model = await models.load(written(condition))
  expect(await promptOf(model, {})).toEndWith(`assistant\n${unsaid}`)
  expect(await promptOf(model, { mode: 'on' })).toEndWith(`assistant\n${on}`)
  expect(await promptOf(model, { mode: 'off' })).toEndWith(`assistant\n${off}`)
})

test('white space at the beginning of a template stays as it is', async () => {
  for (const start of ['\n{%- if true %}A{%- endif %}', '  {% if true %}A{% endif %}', '\n\nA', '  A']) {
    const body = `${start}{{ messages[0].content }}`
    const plain = await models.load(body)
    const asking = await models.load(`${body}{% if enable_thinking is defined %}{% endif %}`)
    expect(await promptOf(asking, {})).toBe(await promptOf(plain, {}))
  }
})

describe('templates that do not think unasked', () => {
  test.each(['Apertus-8B-Instruct', 'deepseek-ai-DeepSeek-V3.1', 'ibm-granite-granite-3.3-2B-Instruct'])(
    '%s',
    async (name) => {
      const model = await models.load(shippedTemplate(name))
      const unsaid = await promptOf(model, {})
      expect(unsaid).toBe(await promptOf(model, { mode: 'off' }))
      expect(unsaid).not.toBe(await promptOf(model, { mode: 'on' }))
    },
  )

  test('openbmb-MiniCPM5-1B, which then leaves the choice to the model', async () => {
    const model = await models.load(shippedTemplate('openbmb-MiniCPM5-1B'))
    expect(await promptOf(model, {})).toEndWith('<|im_start|>assistant\n')
  })
})

describe('templates that think unasked', () => {
  test.each(['Qwen-Qwen3-0.6B', 'GLM-4.6', 'HuggingFaceTB-SmolLM3-3B'])('%s', async (name) => {
    const model = await models.load(shippedTemplate(name))
    const unsaid = await promptOf(model, {})
    expect(unsaid).toBe(await promptOf(model, { mode: 'on' }))
    expect(unsaid).not.toBe(await promptOf(model, { mode: 'off' }))
  })
})
