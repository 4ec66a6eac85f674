/** Detection of the pictures that a template shows, and of their places. */
import { expect, test } from 'bun:test'
import type { ChatMessage } from '../../../core/chat.ts'
import { type Content, type ImagePart, textContent } from '../../../core/content.ts'
import { renderedAs } from '../../../testing/chat-format.ts'
import { allAbilities } from '../../../testing/template-models.ts'
import type { NativeTemplateInputs } from '../native.ts'
import { type PromptRequest, renderPrompt } from './prompt.ts'

const marker = 'picture0a1b'

function picture(param: string): ImagePart {
  const looks = { width: 8, height: 8, orientation: 1, detail: 'auto' as const }
  return { type: 'image', hash: 'aa', path: '/spool/aa', param, ...looks }
}

function contentOf(...parts: readonly (string | ImagePart)[]): Content {
  return parts.flatMap((part): Content => (typeof part === 'string' ? textContent(part) : [part]))
}

function request(messages: readonly ChatMessage[]): PromptRequest {
  const settings = {
    toolChoice: 'none' as const,
    parallelToolCalls: true,
    enableThinking: false,
    templateVariables: {},
  }
  return { messages, tools: [], ...settings }
}

interface Shown {
  readonly role: string
  readonly content: string | readonly { readonly text: string }[]
}

/** A template with one line per message, for the messages that `shows` selects. */
function template(shows: (message: Shown) => boolean = () => true) {
  const applyTemplate = async ({ messagesJson }: NativeTemplateInputs) => {
    const messages: Shown[] = JSON.parse(messagesJson)
    const text = ({ content }: Shown) =>
      typeof content === 'string' ? content : content.map((part) => part.text).join('')
    const prompt = messages.filter(shows).map((message) => `${message.role}: ${text(message)}`)
    return renderedAs(prompt.join('\n'))
  }
  return { abilities: allAbilities, applyTemplate, marker }
}

const blindToResults = { ...allAbilities, resultPictures: false }
const hasPicture = ({ content }: Shown) => typeof content !== 'string'

async function shown(model: ReturnType<typeof template>, messages: readonly ChatMessage[]) {
  const { prompt, pictures } = await renderPrompt(model, request(messages))
  return { prompt: prompt.replaceAll(marker, '#'), params: pictures.map(({ param }) => param) }
}

const calls = ['x', 'y'].map((id) => ({ id, name: 'look', argumentsText: '{}' }))
const calling: ChatMessage = { role: 'assistant', content: [], toolCalls: calls }

function result(toolCallId: string, ...parts: readonly (string | ImagePart)[]): ChatMessage {
  return { role: 'tool', content: contentOf(...parts), toolCallId }
}

test('a marker stands where each picture was, between its texts', async () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: contentOf('this ', picture('a'), ' or ', picture('b'), picture('c')) },
  ]
  expect(await shown(template(), messages)).toEqual({ prompt: 'user: this # or ##', params: ['a', 'b', 'c'] })
})

test('pictures are named in the order of the prompt, whatever the order of the messages', async () => {
  const messages = [calling, result('y', 'second ', picture('of y')), result('x', 'first ', picture('of x'))]
  const { prompt, params } = await shown(template(), messages)
  expect(prompt).toEndWith('tool: first #\ntool: second #')
  expect(params).toEqual(['of x', 'of y'])
})

test('a template that shows no pictures of results gets them from the user, behind the results', async () => {
  const model = { ...template((message) => message.role !== 'tool' || !hasPicture(message)), abilities: blindToResults }
  const answer: ChatMessage = { role: 'assistant', content: contentOf('I see.') }
  const results = [result('x', 'it is ', picture('of x'), '.'), result('y', picture('of y'))]
  expect(await shown(model, [calling, ...results, answer, { role: 'user', content: contentOf('So?') }])).toEqual({
    prompt: [
      'assistant: ',
      'tool: it is [image].',
      'tool: [image]',
      "user: The tool's images:\n##",
      'assistant: I see.',
      'user: So?',
    ].join('\n'),
    params: ['of x', 'of y'],
  })
})

test('pictures of a last result stand before what the user says next', async () => {
  const model = { ...template((message) => message.role !== 'tool' || !hasPicture(message)), abilities: blindToResults }
  const messages = [
    calling,
    result('x', picture('of x')),
    { role: 'user' as const, content: contentOf(picture('own'), '?') },
  ]
  expect((await shown(model, messages)).params).toEqual(['of x', 'own'])
})

test('a picture that the template never shows is refused by its place, and so is one that it shows twice', async () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: contentOf('rules ', picture('input[0]')) },
    { role: 'user', content: contentOf('Hi ', picture('input[1]')) },
  ]
  const refusal = { code: 'unsupported_content', param: 'input[0]' }
  const silent = template((message) => !hasPicture(message))
  await expect(renderPrompt(silent, request(messages))).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('does not show there'),
  })
  const loud = template()
  const twice = async (inputs: NativeTemplateInputs) => {
    const format = await loud.applyTemplate(inputs)
    return { ...format, prompt: `${format.prompt}\n${format.prompt}` }
  }
  await expect(renderPrompt({ ...loud, applyTemplate: twice }, request(messages))).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('shows more than once'),
  })
})

test('a conversation without pictures gives the template texts alone', async () => {
  const given: string[] = []
  const model = template((message) => given.push(typeof message.content) > 0)
  expect((await shown(model, [{ role: 'user', content: contentOf('Hi') }])).params).toEqual([])
  expect(given).toEqual(['string'])
})
