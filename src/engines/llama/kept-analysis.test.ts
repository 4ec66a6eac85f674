/** The analysis of a chat template is made once per model, not once per rendering. */
import { afterAll, expect, test } from 'bun:test'
import { openTemplateModels } from '../../testing/template-models.ts'
import type { NativeTemplateInputs } from './native.ts'

const templates = await openTemplateModels()
afterAll(() => templates.dispose())

const textBytes = 4000
/** Texts that each rendering makes besides its prompt, each of the maximum length. A rendering may make 128 of them. */
const madeTexts = 30

const inputs: NativeTemplateInputs = {
  messagesJson: '[{"role": "user", "content": "hello"}]',
  toolsJson: '',
  toolChoice: 'none',
  parallelToolCalls: true,
  enableThinking: undefined,
  templateVariables: {},
  addGenerationPrompt: true,
  continueFinalMessage: false,
}

test('a rendering makes no more text than its own, since the template was analysed before', async () => {
  const making = `{% for i in range(${madeTexts}) %}{% set made = '${'x'.repeat(textBytes)}' %}{% endfor %}`
  const model = await templates.load(`{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}${making}`)
  for (let time = 0; time < 2; time++) {
    const rendering = new templates.addon.Rendering({ cpuMs: 60_000, textBytes })
    expect(await model.applyTemplate(inputs, rendering)).toMatchObject({ prompt: 'user: hello\n' })
  }
})

test('models with different templates keep different analyses', async () => {
  const chatml = (thinks: string) =>
    `{% for m in messages %}<|im_start|>{{ m.role }}\n${thinks}{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n`
  const thinking =
    '{% if m.reasoning_content is defined and m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n{% endif %}'
  const [plain, thoughtful] = [await templates.load(chatml('')), await templates.load(chatml(thinking))]
  for (let time = 0; time < 2; time++) {
    expect((await plain.applyTemplate(inputs)).thinkingStartTag).toBe('')
    expect((await thoughtful.applyTemplate(inputs)).thinkingStartTag).toBe('<think>')
  }
})
