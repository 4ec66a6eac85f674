/** Prompts without a template, on the real starter model. */
import { describe, expect, test } from 'bun:test'
import type { RawPrompt } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { endBias, type Question, startStarterEngine } from '../../testing/starter-engine.ts'

const { ask, send, count } = await startStarterEngine({ parallel: 4, contextTokens: 2048 })

function text(text: string, param = 'prompt'): RawPrompt {
  return { kind: 'text', text, param }
}

function raw(...prompts: readonly RawPrompt[]): Question {
  const sampling = { temperature: 2, topK: 0, topP: 1, minP: 0, seed: 7, logitBias: endBias }
  return { messages: [], prompts, choices: prompts.length, maxTokens: 12, sampling }
}

const story = 'Once upon a time there was a little cat who'
const sky = 'The sky is'

test('reads control tokens in the text, and applies no template', async () => {
  const plain = await ask({ ...raw(text('Hello!')), maxTokens: 1 })
  const control = await ask({ ...raw(text('<|im_start|><|im_end|>')), maxTokens: 1 })
  const message = await ask({ messages: [{ role: 'user', content: textContent('Hello!') }], maxTokens: 1 })
  expect(control.usage.promptTokens).toBe(2)
  expect(message.usage.promptTokens).toBeGreaterThan(plain.usage.promptTokens + 2)
})

describe('several prompts', () => {
  test('are counted together without being answered', async () => {
    const prompts = [text(story), text(sky)]
    const { usage } = await ask(raw(...prompts))
    expect(await count(raw(...prompts))).toMatchObject([{ type: 'start', promptTokens: usage.promptTokens }, {}])
  })

  // The other content of a step changes the last bits of logits. Greedy texts, and a few tokens at a high temperature,
  // do not depend on them; longer texts at usual temperatures do.
  test('each is answered as it is alone', async () => {
    const greedy = (...prompts: RawPrompt[]) => ask({ ...raw(...prompts), sampling: { temperature: 0 } })
    const [one, two] = [await greedy(text(story)), await greedy(text(sky))]
    expect((await greedy(text(story), text(sky))).texts).toEqual([...one.texts, ...two.texts])
    expect(one.texts).not.toEqual(two.texts)
  })

  test('each has seeds of its own', async () => {
    const hot = (...prompts: RawPrompt[]) => {
      const asked = raw(...prompts)
      const sampling = { ...asked.sampling, temperature: 100 }
      return ask({ ...asked, choices: 2 * prompts.length, maxTokens: 4, sampling })
    }
    const [one, two] = [await hot(text(story)), await hot(text(sky))]
    expect((await hot(text(story), text(sky))).texts).toEqual([...one.texts, ...two.texts])
    expect(one.texts[0]).not.toBe(one.texts[1])
  })

  test('each is counted once, whatever the number of its answers', async () => {
    const [one, two] = [await ask(raw(text(story))), await ask(raw(text(sky)))]
    const both = await ask({ ...raw(text(story), text(sky)), choices: 6 })
    expect(both.usage.promptTokens).toBe(one.usage.promptTokens + two.usage.promptTokens)
    expect(both.usage.completionTokens).toBe(6 * 12)
    expect(both.events.find(({ type }) => type === 'start')).toMatchObject({ promptTokens: both.usage.promptTokens })
  })
})

test('128 prompts of one account, held to a schema, do not keep another account waiting', async () => {
  const properties = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, { type: 'string' }]))
  const answerSchema = { type: 'object', properties }
  const asked = { ...raw(...Array.from({ length: 128 }, () => text(sky))), answerSchema, maxTokens: 1 }
  const started = send(asked)
  const other = send({ ...raw(text(story)), maxTokens: 1 })
  const first = await Promise.race([started.ended.then(() => 'all'), other.ended.then(() => 'one')])
  expect(first).toBe('one')
  expect((await started.ended) as object).toMatchObject({ usage: { completionTokens: 128 } })
})
