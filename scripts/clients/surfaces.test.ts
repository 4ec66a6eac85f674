/** Stock clients use each surface of the program as shipped once, without any help, and are told what is not served. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { Agent, OpenAIConversationsSession, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { generateText, type LanguageModel } from 'ai'
import OpenAI from 'openai'
import { toPdf } from '../../src/testing/pdfs.ts'
import { type ServedProcess, startServedProcess } from '../../src/testing/served-process.ts'

const model = 'inferd/starter-chat'
const pdf = toPdf([{ lines: ['one'] }, { lines: ['two'] }, { lines: ['quincunx'] }])
const question = 'Which word is on page 3?'

let served: ServedProcess
/** Paths that clients have asked for */
let asked: string[] = []
let openai: OpenAI
let anthropic: Anthropic

// Otherwise the agents' package sends traces to its vendor.
setTracingDisabled(true)
globalThis.AI_SDK_LOG_WARNINGS = false

const counting: typeof fetch = Object.assign(
  (input: string | URL | Request, init?: RequestInit) => {
    const { protocol, pathname } = new URL(input instanceof Request ? input.url : input)
    // SDKs try once what forms a fetch can send, by a data: URL.
    if (protocol !== 'data:') asked.push(pathname)
    return fetch(input, init)
  },
  { preconnect: fetch.preconnect },
)

beforeAll(async () => {
  served = await startServedProcess()
  const apiKey = served.key
  openai = new OpenAI({ baseURL: served.baseUrl, apiKey, fetch: counting })
  anthropic = new Anthropic({ baseURL: new URL(served.baseUrl).origin, apiKey, fetch: counting })
}, 120_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

test('models tell their limits', async () => {
  const { context_length, max_model_len, architecture } = Object(await openai.models.retrieve(model))
  expect(context_length).toBeInteger()
  expect(max_model_len).toBe(context_length)
  expect(architecture.input_modalities).toContain('image')
  expect(await anthropic.models.retrieve(model)).toMatchObject({ max_input_tokens: context_length })
})

test('a text becomes tokens and a text again', async () => {
  const prompt = 'The river flows under three bridges.'
  const { tokens, count } = Object(await openai.post('/tokenize', { body: { model, prompt } }))
  expect(tokens).toHaveLength(count)
  expect(await openai.post('/detokenize', { body: { model, tokens } })).toMatchObject({ prompt })
  const { usage } = await openai.completions.create({ model, prompt: tokens, max_tokens: 1 })
  expect(usage?.prompt_tokens).toBe(count)
})

test('a prompt is scored, token by token, by two of its forms', async () => {
  const prompt = 'The river flows under three bridges.'
  const scored = { model, prompt, echo: true, logprobs: 1, max_tokens: 0, temperature: 0, seed: 1234 }
  const { choices, usage } = await openai.completions.create(scored)
  const scores = choices[0]?.logprobs?.token_logprobs ?? []
  expect(choices[0]?.text).toBe(prompt)
  expect(scores).toHaveLength(usage?.prompt_tokens ?? 0)
  expect(scores[0]).toBeNull()
  const body = { model, prompt, prompt_logprobs: 0, max_tokens: 0 }
  const other = Object(await openai.post('/completions', { body })).choices[0].prompt_logprobs
  const sum = (numbers: readonly (number | null)[]) => numbers.reduce<number>((total, each) => total + (each ?? 0), 0)
  const others = other.map((each: object | null) => (each === null ? null : Object.values(each)[0].logprob))
  expect(sum(others)).toBeCloseTo(sum(scores), 4)
})

test('a document has the same tokens by every client', async () => {
  const data = pdf.toString('base64')
  const file_data = `data:application/pdf;base64,${data}`
  const source = { type: 'base64', media_type: 'application/pdf', data } as const
  const { input_tokens } = await anthropic.messages.countTokens({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source },
          { type: 'text', text: question },
        ],
      },
    ],
  })
  const chat = await openai.chat.completions.create({
    model,
    max_tokens: 1,
    reasoning_effort: 'none',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'file', file: { file_data, filename: 'a.pdf' } },
          { type: 'text', text: question },
        ],
      },
    ],
  })
  // The name of a file is a line of its own in the prompt.
  expect(chat.usage?.prompt_tokens).toBeGreaterThan(input_tokens)
  const address = { baseURL: served.baseUrl, apiKey: served.key }
  const vercel = createOpenAI(address)
  const byVercel: readonly LanguageModel[] = [
    vercel.chat(model),
    vercel.responses(model),
    createAnthropic(address)(model),
  ]
  for (const each of byVercel) {
    const { usage } = await generateText({
      model: each,
      maxOutputTokens: 16,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', data: pdf, mediaType: 'application/pdf', filename: 'a.pdf' },
            { type: 'text', text: question },
          ],
        },
      ],
    })
    expect(usage.inputTokens).toBeGreaterThanOrEqual(input_tokens)
  }
}, 120_000)

test('a recording is transcribed with its speakers', async () => {
  const speech = {
    model: 'inferd/starter-tts',
    voice: 'nova',
    input: 'The river flows.',
    response_format: 'wav',
  } as const
  const file = new File([await (await openai.audio.speech.create(speech)).arrayBuffer()], 'a.wav')
  const transcript = await openai.audio.transcriptions.create({
    model: 'inferd/starter-stt',
    file,
    response_format: 'diarized_json',
    chunking_strategy: 'auto',
  })
  const { segments, usage } = Object(transcript)
  expect(segments[0]).toMatchObject({
    type: 'transcript.text.segment',
    speaker: 'SPEAKER_00',
    text: expect.any(String),
  })
  expect(usage).toMatchObject({ type: 'duration' })
}, 60_000)

describe('what is not served is refused once, with what to do instead', () => {
  const input = [{ role: 'user' as const, content: 'Hi' }]
  const file = new File(['x'], 'a.txt')
  const whole = /whole conversation/
  const refusals: Readonly<Record<string, readonly [words: RegExp, call: () => Promise<unknown>]>> = {
    'an earlier response': [whole, () => openai.responses.create({ model, input, previous_response_id: 'resp_1' })],
    'a conversation': [whole, () => openai.responses.create({ model, input, conversation: 'conv_1' })],
    'a stored prompt': [/instructions/, () => openai.responses.create({ model, input, prompt: { id: 'pmpt_1' } })],
    'background work': [/stream/, () => openai.responses.create({ model, input, background: true })],
    'a stored response': [whole, () => openai.responses.retrieve('resp_1')],
    'a response to cancel': [whole, () => openai.responses.cancel('resp_1')],
    'a response to delete': [whole, () => openai.responses.delete('resp_1')],
    'items of a response': [whole, async () => openai.responses.inputItems.list('resp_1')],
    'a new conversation': [whole, () => openai.conversations.create()],
    'a stored chat': [/yourself/, () => openai.chat.completions.retrieve('chatcmpl-1')],
    'a file': [/base64/, () => openai.files.create({ file, purpose: 'user_data' })],
    'a batch': [
      /one by one/,
      () => openai.batches.create({ input_file_id: 'a', endpoint: '/v1/responses', completion_window: '24h' }),
    ],
    'a realtime secret': [/transcriptions/, () => openai.realtime.clientSecrets.create({})],
    'a vector store': [/embeddings/, () => openai.vectorStores.create({})],
    'an assistant': [/responses/, () => openai.beta.assistants.create({ model })],
    'a fine tuning': [/import/, () => openai.fineTuning.jobs.create({ model, training_file: 'a' })],
    'a spoken chat': [
      /speech/,
      () => openai.chat.completions.create({ model, messages: input, modalities: ['text', 'audio'] }),
    ],
    'a search in a chat': [
      /tools/,
      () => openai.chat.completions.create({ model, messages: input, web_search_options: {} }),
    ],
    'a moderation, which is off': [/moderation-model/, () => openai.moderations.create({ input: 'Hi' })],
    'a picture, without a model': [/manifest/, () => openai.images.generate({ prompt: 'A dot' })],
    'a search by a response, which is off': [
      /search-url/,
      () => openai.responses.create({ model, input, tools: [{ type: 'web_search' }] }),
    ],
    'a search by a message, which is off': [
      /search-url/,
      () => {
        const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }]
        return anthropic.messages.create({ model, max_tokens: 16, messages: input, tools })
      },
    ],
    'sound, which the model does not hear': [
      /transcriptions/,
      () => {
        const part = { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'wav' as const } }
        return openai.chat.completions.create({ model, messages: [{ role: 'user', content: [part] }] })
      },
    ],
    'a batch of messages': [/one by one/, () => anthropic.messages.batches.create({ requests: [] })],
    'a file for messages': [/base64/, () => anthropic.beta.files.upload({ file })],
    'a conversation of the agents': [
      whole,
      () => runAgent({ session: new OpenAIConversationsSession({ client: openai }) }),
    ],
    'an earlier response of the agents': [whole, () => runAgent({ previousResponseId: 'resp_1' })],
  }

  function runAgent(options: object): Promise<unknown> {
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: openai, useResponses: true }) })
    return runner.run(new Agent({ name: 'a', model }), 'Hi', options)
  }

  test.each(Object.entries(refusals))('%s', async (_, [words, call]) => {
    asked = []
    const thrown = await call().catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Error)
    expect(thrown).toMatchObject({ message: expect.stringMatching(words) })
    expect([400, 404]).toContain(Object(thrown).status)
    expect(asked).toHaveLength(1)
  })
})

test('what asks to be stored is answered, and says that it was not', async () => {
  const answer = Object(await openai.responses.create({ model, input: 'Hi', store: true, max_output_tokens: 16 }))
  expect(answer).toMatchObject({ object: 'response', store: false })
})
