import { expect, test } from 'bun:test'
import type { ChatMessage } from '../../../core/chat.ts'
import { textContent } from '../../../core/content.ts'
import { renderedAs } from '../../../testing/chat-format.ts'
import { allAbilities } from '../../../testing/template-models.ts'
import type { NativeTemplateInputs } from '../native.ts'
import { type PromptRequest, renderPrompt } from './prompt.ts'

const user: ChatMessage = { role: 'user', content: textContent('hi') }

function messagesOf(inputs: NativeTemplateInputs): { role: string; content: string }[] {
  return JSON.parse(inputs.messagesJson)
}

function request(messages: readonly ChatMessage[]): PromptRequest {
  return {
    messages,
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: true,
    enableThinking: false,
    templateVariables: {},
  }
}

/** A template that accepts inputs if `accepts` does, and records them. */
function template(accepts: (inputs: NativeTemplateInputs) => boolean) {
  const given: NativeTemplateInputs[] = []
  const applyTemplate = async (inputs: NativeTemplateInputs) => {
    given.push(inputs)
    if (!accepts(inputs)) throw new Error('Conversation roles must alternate')
    return renderedAs(
      messagesOf(inputs)
        .map(({ role, content }) => `${role}:${content}`)
        .join(' '),
    )
  }
  return { given, applyTemplate, abilities: allAbilities }
}

test('gives the messages in the shape of the template’s abilities', async () => {
  const messages: ChatMessage[] = [user, { role: 'system', content: textContent('late') }, user]
  const model = template(() => true)
  expect((await renderPrompt(model, request(messages))).format.prompt).toBe('user:hi system:late user:hi')
  expect(model.given).toHaveLength(1)
  expect(model.given[0]?.enableThinking).toBe(false)
  const strict = { ...model, abilities: { ...allAbilities, system: 'first', repeatsRoles: false } as const }
  expect((await renderPrompt(strict, request(messages))).format.prompt).toBe('user:hi\n\nlate\n\nhi')
})

test('a template that refuses messages in spite of its abilities gets them in the plainest shape', async () => {
  const model = template((inputs) => messagesOf(inputs).every(({ role }) => role === 'user'))
  const messages: ChatMessage[] = [user, { role: 'system', content: textContent('late') }]
  expect((await renderPrompt(model, request(messages))).format.prompt).toBe('user:hi\n\nlate')
})

test('what the template refuses in any order is the caller’s error, with the template’s words', async () => {
  const model = template(() => false)
  const refused = renderPrompt(model, request([user]))
  await expect(refused).rejects.toEqual(
    expect.objectContaining({
      kind: 'invalid_request',
      param: 'messages',
      message: expect.stringContaining('roles must alternate'),
    }),
  )
})

test('continues a last assistant message, or starts a new one where the template cannot', async () => {
  const messages: ChatMessage[] = [user, { role: 'assistant', content: textContent('The') }]
  const continuing = template(() => true)
  await renderPrompt(continuing, request(messages))
  expect(continuing.given.map((inputs) => inputs.continueFinalMessage)).toEqual([true])
  const refusing = template((inputs) => !inputs.continueFinalMessage)
  await renderPrompt(refusing, request(messages))
  expect(refusing.given.at(-1)).toMatchObject({ continueFinalMessage: false, addGenerationPrompt: true })
})

test('messages that a template leaves out are shown in the plainest shape, if that brings them back', async () => {
  const given: string[] = []
  const model = {
    abilities: allAbilities,
    applyTemplate: async (inputs: NativeTemplateInputs) => {
      const shown = messagesOf(inputs).filter(({ role }, index) => role !== 'system' || index === 0)
      const prompt = shown.map(({ content }) => content).join(' ')
      given.push(prompt)
      return renderedAs(prompt)
    },
  }
  const late: ChatMessage[] = [user, { role: 'system', content: textContent('Be brief!') }]
  expect((await renderPrompt(model, request(late))).format.prompt).toBe('hi\n\nBe brief!')
  expect(given).toEqual(['hi', 'hi\n\nBe brief!'])
})
