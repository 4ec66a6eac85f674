/** Stock clients send one PDF to the whole program as shipped: the same prompt in all dialects, counted beforehand. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { toPdf } from '../testing/pdfs.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

const model = 'inferd/starter-chat'
const question = 'Which word is on page 3?'
const data = toPdf([{ lines: ['one'] }, { lines: ['two'] }, { lines: ['quincunx'] }]).toString('base64')
const file_data = `data:application/pdf;base64,${data}`

let served: ServedProcess
let openai: OpenAI
let anthropic: Anthropic

beforeAll(async () => {
  served = await startServedProcess()
  openai = new OpenAI({ baseURL: served.baseUrl, apiKey: served.key, maxRetries: 0 })
  anthropic = new Anthropic({ baseURL: new URL(served.baseUrl).origin, apiKey: served.key, maxRetries: 0 })
}, 120_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

const source = { type: 'base64', media_type: 'application/pdf', data } as const
const messages: Anthropic.MessageParam[] = [
  {
    role: 'user',
    content: [
      { type: 'document', source },
      { type: 'text', text: question },
    ],
  },
]

async function chatTokens(): Promise<number | undefined> {
  const content = [
    { type: 'file' as const, file: { file_data } },
    { type: 'text' as const, text: question },
  ]
  const request = { model, messages: [{ role: 'user' as const, content }], reasoning_effort: 'none' as const }
  const { usage } = await openai.chat.completions.create({ ...request, max_tokens: 1 })
  return usage?.prompt_tokens
}

async function responsesTokens(): Promise<number | undefined> {
  const content = [
    { type: 'input_file' as const, file_data },
    { type: 'input_text' as const, text: question },
  ]
  const input = [{ role: 'user' as const, content }]
  const { usage } = await openai.responses.create({
    model,
    input,
    reasoning: { effort: 'none' },
    max_output_tokens: 16,
  })
  return usage?.input_tokens
}

async function messagesTokens(): Promise<number> {
  const { usage } = await anthropic.messages.create({ model, messages, max_tokens: 1 })
  return usage.input_tokens + (usage.cache_read_input_tokens ?? 0)
}

test('one document is the same prompt in all dialects, as counted before', async () => {
  const counted = await anthropic.messages.countTokens({ model, messages })
  // The text and three pictures.
  expect(counted.input_tokens).toBeGreaterThan(3 * 64)
  expect(await messagesTokens()).toBe(counted.input_tokens)
  expect(await chatTokens()).toBe(counted.input_tokens)
  expect(await responsesTokens()).toBe(counted.input_tokens)
}, 120_000)
