/**
 * Stock clients send a picture to the whole program as shipped: in every way the model sees the same and answers the
 * same.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, type LanguageModel, streamText } from 'ai'
import OpenAI from 'openai'
import { pictureConversations } from '../testing/picture-conversations.ts'
import { paint, toDataUrl, toPng } from '../testing/pictures.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

const model = 'inferd/starter-chat'
const question = 'What is in the picture?'
const bytes = toPng(paint(96, 96, (x, y) => ((x - 48) ** 2 + (y - 48) ** 2 < 900 ? [220, 20, 20] : [255, 255, 255])))
const data = bytes.toString('base64')
const url = toDataUrl(bytes)
/** Greedy, without thinking, and short. */
const greedy = { temperature: 0, max_tokens: 12 }
const effort = 'none' as const

interface Answer {
  readonly text: string
  /** Prompt tokens, including cached ones */
  readonly promptTokens: number
}

let served: ServedProcess
let openai: OpenAI
let anthropic: Anthropic
/** Answer that the first client got */
let expected: Answer

beforeAll(async () => {
  served = await startServedProcess()
  openai = new OpenAI({ baseURL: served.baseUrl, apiKey: served.key, maxRetries: 0 })
  anthropic = new Anthropic({ baseURL: new URL(served.baseUrl).origin, apiKey: served.key, maxRetries: 0 })
  expected = await openaiChat()
}, 120_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

const chatMessages: OpenAI.ChatCompletionMessageParam[] = [
  {
    role: 'user',
    content: [
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: question },
    ],
  },
]
const input: OpenAI.Responses.ResponseInput = [
  {
    role: 'user',
    content: [
      { type: 'input_image', image_url: url, detail: 'auto' },
      { type: 'input_text', text: question },
    ],
  },
]
const blocks: Anthropic.MessageParam[] = [
  {
    role: 'user',
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'text', text: question },
    ],
  },
]

async function openaiChat(): Promise<Answer> {
  const request = { model, messages: chatMessages, reasoning_effort: effort, ...greedy }
  const { choices, usage } = await openai.chat.completions.create(request)
  return { text: choices[0]?.message.content ?? '', promptTokens: usage?.prompt_tokens ?? 0 }
}

async function openaiChatStream(): Promise<Answer> {
  const stream = openai.chat.completions.stream({
    ...{ model, messages: chatMessages, reasoning_effort: effort, ...greedy },
    stream_options: { include_usage: true },
  })
  const { choices, usage } = await stream.finalChatCompletion()
  return { text: choices[0]?.message.content ?? '', promptTokens: usage?.prompt_tokens ?? 0 }
}

const responsesRequest = { model, input, reasoning: { effort }, temperature: 0, max_output_tokens: greedy.max_tokens }

async function openaiResponses(): Promise<Answer> {
  const { output_text, usage } = await openai.responses.create(responsesRequest)
  return { text: output_text, promptTokens: usage?.input_tokens ?? 0 }
}

async function openaiResponsesStream(): Promise<Answer> {
  const { output_text, usage } = await openai.responses.stream(responsesRequest).finalResponse()
  return { text: output_text, promptTokens: usage?.input_tokens ?? 0 }
}

function messageAnswer({ content, usage }: Anthropic.Message): Answer {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return { text, promptTokens: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) }
}

async function anthropicMessages(): Promise<Answer> {
  return messageAnswer(await anthropic.messages.create({ model, messages: blocks, ...greedy }))
}

async function anthropicStream(): Promise<Answer> {
  return messageAnswer(await anthropic.messages.stream({ model, messages: blocks, ...greedy }).finalMessage())
}

interface LangchainAnswer {
  readonly text: string
  readonly usage_metadata?: { readonly input_tokens: number } | undefined
}

async function langchain(): Promise<Answer> {
  const settings = { apiKey: served.key, maxRetries: 0, configuration: { baseURL: served.baseUrl } }
  const chat = new ChatOpenAI({
    model,
    temperature: 0,
    maxTokens: greedy.max_tokens,
    reasoning: { effort },
    ...settings,
  })
  const contentBlocks = [
    { type: 'image' as const, mimeType: 'image/png', data },
    { type: 'text' as const, text: question },
  ]
  const message: LangchainAnswer = await chat.invoke([new HumanMessage({ contentBlocks })])
  return { text: message.text, promptTokens: message.usage_metadata?.input_tokens ?? 0 }
}

test.each([
  ['openai, chat, streamed', openaiChatStream],
  ['openai, responses', openaiResponses],
  ['openai, responses, streamed', openaiResponsesStream],
  ['anthropic', anthropicMessages],
  ['anthropic, streamed', anthropicStream],
  ['langchain', langchain],
])('%s', async (_, ask) => {
  expect(await ask()).toEqual(expected)
})

describe.each<[string, () => LanguageModel]>([
  ['chat', () => createOpenAICompatible({ name: 'inferd', baseURL: served.baseUrl, apiKey: served.key })(model)],
  ['responses', () => createOpenAI({ baseURL: served.baseUrl, apiKey: served.key })(model)],
  ['messages', () => createAnthropic({ baseURL: served.baseUrl, apiKey: served.key })(model)],
])('the Vercel AI SDK, %s', (_, makeModel) => {
  const request = () => ({
    model: makeModel(),
    maxRetries: 0,
    temperature: 0,
    maxOutputTokens: greedy.max_tokens,
    providerOptions: { inferd: { reasoningEffort: effort } },
    messages: [
      {
        role: 'user' as const,
        content: [
          { type: 'file' as const, mediaType: 'image/png', data: bytes },
          { type: 'text' as const, text: question },
        ],
      },
    ],
  })

  test('whole', async () => {
    const { text, usage } = await generateText(request())
    expect({ text, promptTokens: usage.inputTokens }).toEqual(expected)
  })

  test('streamed', async () => {
    expect(await streamText(request()).text).toBe(expected.text)
  })
})

test('a picture that a tool read', async () => {
  const [, conversation] = pictureConversations(url, question)
  const { chat, responses, messages } = conversation ?? {}
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${served.key}`, 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify({ model, temperature: 0, ...body }) }
    return JSON.parse(await (await fetch(`${served.baseUrl}${path}`, request)).text())
  }
  const { choices, usage } = await post('/chat/completions', { ...chat, reasoning_effort: effort, max_tokens: 12 })
  const answer = { text: choices[0].message.content, promptTokens: usage.prompt_tokens }
  expect(answer.promptTokens).toBeGreaterThan(64)
  const response = await post('/responses', { ...responses, reasoning: { effort }, max_output_tokens: 12 })
  expect({ text: response.output[0].content[0].text, promptTokens: response.usage.input_tokens }).toEqual(answer)
  expect(messageAnswer(await post('/messages', { ...messages, max_tokens: 12 }))).toEqual(answer)
})

test('a picture costs tokens, which are counted before and cached afterwards', async () => {
  const plain = [{ role: 'user' as const, content: question }]
  const counted = await anthropic.messages.countTokens({ model, messages: blocks })
  const without = await anthropic.messages.countTokens({ model, messages: plain })
  expect(expected.text).not.toBe('')
  expect(counted.input_tokens).toBe(expected.promptTokens)
  expect(expected.promptTokens - without.input_tokens).toBeGreaterThan(16)
  const again = await openai.chat.completions.create({
    model,
    messages: chatMessages,
    reasoning_effort: effort,
    ...greedy,
  })
  const details = again.usage?.prompt_tokens_details
  expect(details?.image_tokens).toBeGreaterThan(16)
  expect(details?.image_tokens).toBeLessThanOrEqual(expected.promptTokens - without.input_tokens)
  expect(details?.cached_tokens).toBeGreaterThan(details?.image_tokens ?? 0)
})
