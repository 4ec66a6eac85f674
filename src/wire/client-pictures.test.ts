/** Pictures in the stock clients' own requests are read as pictures. */
import { describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { generateText, type LanguageModel, type ModelMessage } from 'ai'
import OpenAI from 'openai'
import type { ChatMessage } from '../core/chat.ts'
import { type SentImagePart, textContent } from '../core/content.ts'
import { paint, toDataUrl, toPng } from '../testing/pictures.ts'
import { chatCompletionsDialect } from './chat-completions/dialect.ts'
import { messagesDialect } from './messages/dialect.ts'
import { responsesDialect } from './responses/dialect.ts'

const bytes = toPng(paint(2, 1, () => [0, 0, 255]))
const data = bytes.toString('base64')
const url = toDataUrl(bytes)
const place = 'https://pictures.example/a.png'

const parsers: Readonly<Record<string, (body: unknown) => readonly ChatMessage[]>> = {
  '/v1/chat/completions': (body) => chatCompletionsDialect.parse(body).request.messages,
  '/v1/responses': (body) => responsesDialect.parse(body).request.messages,
  '/v1/messages': (body) => messagesDialect.parse(body).request.messages,
}

interface Client {
  readonly fetch: typeof fetch
  readonly baseURL: string
  readonly apiKey: string
}

/** Returns the messages that a client's request becomes. The client gets an error as its answer. */
async function sent(ask: (client: Client) => Promise<unknown>): Promise<readonly ChatMessage[]> {
  let messages: readonly ChatMessage[] | undefined
  const answer = async (input: string | URL | Request, init?: RequestInit) => {
    const request = input instanceof Request ? input : new Request(String(input), init)
    messages = parsers[new URL(request.url).pathname]?.(await request.json())
    return Response.json({ error: { message: 'enough' } }, { status: 400 })
  }
  const failure = await ask({
    fetch: Object.assign(answer, { preconnect: fetch.preconnect }),
    baseURL: 'http://127.0.0.1/v1',
    apiKey: 'key',
  }).catch(String)
  if (messages === undefined) throw new Error(`nothing was sent: ${failure}`)
  return messages
}

function picture(address: string, detail: SentImagePart['detail'] = 'auto') {
  return { type: 'sent-image', url: address, detail, param: expect.stringMatching(/^(messages|input)\[/) }
}

const question = textContent('What?')
const user = (...content: unknown[]) => [{ role: 'user', content }]

test.each<[string, SentImagePart['detail'], (client: Client) => Promise<unknown>]>([
  [
    'openai, chat',
    'low',
    (client) =>
      new OpenAI({ ...client, maxRetries: 0 }).chat.completions.create({
        model: 'm',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What?' },
              { type: 'image_url', image_url: { url, detail: 'low' } },
              { type: 'image_url', image_url: { url: place, detail: 'low' } },
            ],
          },
        ],
      }),
  ],
  [
    'openai, responses',
    'high',
    (client) =>
      new OpenAI({ ...client, maxRetries: 0 }).responses.create({
        model: 'm',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'What?' },
              { type: 'input_image', image_url: url, detail: 'original' },
              { type: 'input_image', image_url: place, detail: 'high', file_id: null },
            ],
          },
        ],
      }),
  ],
  [
    'anthropic',
    'auto',
    ({ fetch, apiKey }) =>
      new Anthropic({ fetch, apiKey, baseURL: 'http://127.0.0.1', maxRetries: 0 }).messages.create({
        model: 'm',
        max_tokens: 5,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What?' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
              { type: 'image', source: { type: 'url', url: place } },
            ],
          },
        ],
      }),
  ],
  [
    'langchain',
    'auto',
    ({ fetch, baseURL, apiKey }) =>
      new ChatOpenAI({ model: 'm', apiKey, maxRetries: 0, configuration: { baseURL, fetch } }).invoke([
        new HumanMessage({
          contentBlocks: [
            { type: 'text', text: 'What?' },
            { type: 'image', mimeType: 'image/png', data },
            { type: 'image', url: place },
          ],
        }),
      ]),
  ],
])('of %s', async (_, detail, ask) => {
  expect<unknown>(await sent(ask)).toEqual(user(...question, picture(url, detail), picture(place, detail)))
})

test('in a tool result of langchain', async () => {
  const messages = await sent(({ fetch, baseURL, apiKey }) =>
    new ChatOpenAI({ model: 'm', apiKey, maxRetries: 0, configuration: { baseURL, fetch } }).invoke([
      new HumanMessage('Look'),
      new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'look', args: {} }] }),
      new ToolMessage({ tool_call_id: 'c1', content: [{ type: 'image_url', image_url: { url } }] }),
    ]),
  )
  expect<unknown>(messages.at(-1)).toEqual({ role: 'tool', content: [picture(url)], toolCallId: 'c1' })
})

type MakeModel = (client: Client) => LanguageModel

describe.each<[string, MakeModel]>([
  ['chat', (client) => createOpenAI(client).chat('m')],
  ['chat of any server', (client) => createOpenAICompatible({ ...client, name: 'any' })('m')],
  ['responses', (client) => createOpenAI(client)('m')],
  ['messages', (client) => createAnthropic(client)('m')],
])('of the Vercel AI SDK, %s', (_, makeModel) => {
  const ask = (messages: ModelMessage[]) =>
    sent((client) => generateText({ model: makeModel(client), maxRetries: 0, messages }))

  test('as bytes, as base64 and in a URL', async () => {
    const parts = [bytes, data, new URL(url)].map((image) => ({
      type: 'file' as const,
      mediaType: 'image/png',
      data: image,
    }))
    const content = [{ type: 'text' as const, text: 'What?' }, ...parts]
    const pictures = parts.map(() => picture(url))
    expect<unknown>(await ask([{ role: 'user', content }])).toEqual(user(...question, ...pictures))
  })

  test('in a tool result', async () => {
    const [, , result] = await ask([
      { role: 'user', content: 'Look' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'look',
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'Seen' },
                { type: 'file', mediaType: 'image/png', data: { type: 'data', data } },
              ],
            },
          },
        ],
      },
    ])
    const content = [...textContent('Seen'), picture(url)]
    expect<unknown>(result).toEqual({ role: 'tool', content, toolCallId: 'c1' })
  })
})
