/**
 * Answers to histories of every shape. `testing/shipped-templates.test.ts` proves that templates show the histories.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatOutput } from '../../core/chat.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { histories } from '../../testing/histories.ts'
import { startStarterEngine } from '../../testing/starter-engine.ts'
import { shippedTemplate } from '../../testing/template-models.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-every-template-'))

afterAll(() => rmSync(folder, { recursive: true }))

type Engine = Awaited<ReturnType<typeof startStarterEngine>>

/**
 * Checks that every history gets an answer. Random weights never end an answer, so an empty one would be the engine's
 * fault.
 */
async function expectAnswers({ ask }: Engine, names: readonly string[]): Promise<void> {
  const asked = histories.filter(({ name }) => names.includes(name))
  expect(asked).toHaveLength(names.length)
  for (const { name, request } of asked) {
    const { events } = await ask({ ...request, maxTokens: 64, sampling: { temperature: 0 } })
    const said = events.filter((event): event is ChatOutput => isSaid.includes(event.type))
    expect([name, said.length > 0]).toEqual([name, true])
  }
}

const isSaid: readonly string[] = ['text-delta', 'reasoning-delta', 'tool-call-start']

describe('every history that has a turn is answered', () => {
  test('by the starter model', async () => {
    // The model may have nothing to add to a prefill.
    const names = histories.map(({ name }) => name).filter((name) => !name.startsWith('prefill'))
    await expectAnswers(await startStarterEngine({ contextTokens: 8192 }), names)
  }, 120_000)

  test.each([
    'google-gemma-2-2b-it',
    'microsoft-Phi-3.5-mini-instruct',
    'mistralai-Mistral-Nemo-Instruct-2407',
    'Mistral-Small-3.2-24B-Instruct-2506',
    'mistralai-Ministral-3-14B-Reasoning-2512',
    'LFM2-8B-A1B',
    'openai-gpt-oss-120b',
    'deepseek-ai-DeepSeek-R1-Distill-Llama-8B',
  ])(
    'by a model with the template of %s',
    async (template) => {
      const file = join(folder, `${template}.gguf`)
      const options = { chatTemplate: { jinja: shippedTemplate(template) }, contextTokens: 32_768 }
      writeFileSync(file, tinyGguf(options))
      const engine = await startStarterEngine({ contextTokens: 32_768 }, {}, file)
      await expectAnswers(engine, [
        ...['an empty answer at the end', 'empty everywhere', 'an empty question', 'assistant first', 'system alone'],
        ...[
          'a call, then the user',
          'a call without a result',
          'system after a result',
          'an empty answer after a result',
        ],
        ...['a result without any call', 'prefill after a result', 'everything', 'a required call'],
      ])
    },
    120_000,
  )
})
