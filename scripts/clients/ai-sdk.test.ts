/**
 * Tests every generation of the Vercel AI SDK with each dialect that it speaks, over real sockets and against scripted
 * engines.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { z as z3 } from 'zod-3'
import { startTestServer } from '../../src/testing/test-server.ts'
import { textModels } from '../../src/testing/text-models.ts'
import { description, expectWholeConversation, failure, question, script, weather } from './weather.ts'

const server = startTestServer({ parallel: 8, models: textModels, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

// Turns off the SDK's warnings about deprecated functions, which are tested too.
globalThis.AI_SDK_LOG_WARNINGS = false

/** Functions that all generations have. */
interface Sdk {
  readonly generateText: (options: object) => Promise<Answer & { readonly steps: readonly Answer[] }>
  readonly streamText: (options: object) => {
    readonly textStream: AsyncIterable<string>
    readonly finishReason: Promise<string>
    readonly steps: Promise<readonly Answer[]>
  }
  readonly tool: (options: object) => unknown
  readonly stepCountIs: (count: number) => unknown
  readonly APICallError: { isInstance: (error: unknown) => boolean }
}
interface Answer {
  readonly text: string
  readonly finishReason: string
  readonly toolCalls: readonly { readonly toolName: string }[]
}
type Model = (id: string) => unknown
interface OpenAiProvider {
  readonly createOpenAI: (options: object) => Readonly<Record<'chat' | 'responses' | 'completion', Model>>
}
interface AnthropicProvider {
  readonly createAnthropic: (options: object) => Model
}

/** Version 4 only knows zod 3, and sends nothing of a schema of zod 4. */
const newNames = (sdk: Sdk) => ({
  tool: { inputSchema: z.object({ city: z.string(), days: z.number().int().min(1).max(10).optional() }) },
  settings: { maxOutputTokens: 100, stopWhen: sdk.stepCountIs(3) },
})
const oldNames = () => ({
  tool: { parameters: z3.object({ city: z3.string(), days: z3.number().int().min(1).max(10).optional() }) },
  settings: { maxTokens: 100, maxSteps: 3 },
})

const generations = [
  // Versions 4 and 5 ignore `response.failed`.
  { sdk: 'ai-4', openai: 'ai-4-openai', anthropic: 'ai-4-anthropic', names: oldNames, silent: 'responses' },
  { sdk: 'ai-5', openai: 'ai-5-openai', anthropic: 'ai-5-anthropic', names: newNames, silent: 'responses' },
  { sdk: 'ai-6', openai: 'ai-6-openai', anthropic: 'ai-6-anthropic', names: newNames },
  { sdk: 'ai', openai: '@ai-sdk/openai', anthropic: '@ai-sdk/anthropic', names: newNames },
]

const loaded = await Promise.all(
  generations.map(async ({ names, silent, ...packages }) => {
    const sdk: Sdk = await import(packages.sdk)
    const { createOpenAI }: OpenAiProvider = await import(packages.openai)
    const { createAnthropic }: AnthropicProvider = await import(packages.anthropic)
    const address = { baseURL: server.baseUrl, apiKey: server.keys.valid }
    const openai = createOpenAI(address)
    const { tool, settings } = names(sdk)
    const tools = {
      weather: sdk.tool({ description, ...tool, execute: async (city: { city: string }) => weather(city) }),
    }
    const models = { chat: openai.chat, responses: openai.responses, messages: createAnthropic(address) }
    const completion = { name: packages.sdk, sdk, settings: { model: openai.completion('fake'), maxRetries: 0 } }
    const chats = Object.entries(models).map(([dialect, model]) => ({
      name: `${packages.sdk} by ${dialect}`,
      sdk,
      model,
      failureEnds: dialect === silent ? { errors: 0, finishReason: 'unknown' } : { errors: 1, finishReason: 'error' },
      tools,
      settings: { ...settings, model: model('fake'), maxRetries: 0 },
    }))
    return { chats, completion }
  }),
)

describe.each(loaded.flatMap(({ chats }) => chats))('$name', ({ sdk, model, failureEnds, tools, settings }) => {
  test('text is generated, whole and in a stream', async () => {
    expect(await sdk.generateText({ ...settings, prompt: 'Hello there 🙂' })).toMatchObject({
      text: 'Hello there 🙂',
      finishReason: 'stop',
    })
    const prompt = script({ text: 'Hel' }, { delayMs: 40 }, { text: 'lo 🙂' })
    const result = sdk.streamText({ ...settings, prompt })
    expect((await Array.fromAsync(result.textStream)).join('')).toBe('Hello 🙂')
    expect(await result.finishReason).toBe('stop')
  })

  test('a tool is called, run, and its result is answered', async () => {
    expectTwoSteps((await sdk.generateText({ ...settings, tools, prompt: question })).steps)
  })

  test('a tool is called, run, and its result is answered in streams', async () => {
    const result = sdk.streamText({ ...settings, tools, prompt: question })
    // Version 4 does nothing until its result is read.
    await Array.fromAsync(result.textStream)
    expectTwoSteps(await result.steps)
  })

  test('a refusal is an APICallError with its status and message', async () => {
    const error = await sdk
      .generateText({ ...settings, model: model('no/such'), prompt: 'x' })
      .catch((reason: unknown) => reason)
    expect(sdk.APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: 404, message: expect.stringContaining('no/such') })
  })

  test('an error in the middle of a stream ends it after the text before it', async () => {
    const errors: unknown[] = []
    const onError = ({ error }: { error: unknown }) => {
      errors.push(error)
    }
    const result = sdk.streamText({ ...settings, prompt: script({ text: 'Half' }, failure), onError })
    expect((await Array.fromAsync(result.textStream)).join('')).toBe('Half')
    expect({ errors: errors.length, finishReason: await result.finishReason }).toEqual(failureEnds)
  })
})

test.each(loaded.map(({ completion }) => completion))(
  '$name continues a text, whole and in a stream',
  async ({ sdk, settings }) => {
    // Later versions turn it into a transcript.
    const prompt = 'Once upon a time 🙂'
    const { text } = await sdk.generateText({ ...settings, prompt })
    expect(text).toContain(prompt)
    expect((await Array.fromAsync(sdk.streamText({ ...settings, prompt }).textStream)).join('')).toBe(text)
  },
)

/** Checks that the loop ended by itself, at the answer. */
function expectTwoSteps(steps: readonly Answer[]): void {
  expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
  expect(steps[0]).toMatchObject({ text: 'Looking.', toolCalls: [{ toolName: 'weather' }] })
  expectWholeConversation(steps[1]?.text ?? '')
}

test.each([
  ['ai-6', 'ai-6-openai'],
  ['ai', '@ai-sdk/openai'],
])('%s embeds more texts than a request takes once the model says how many that are', async (sdk, openai) => {
  const { embedMany, wrapEmbeddingModel } = await import(sdk)
  const { createOpenAI } = await import(openai)
  const model = createOpenAI({ baseURL: server.baseUrl, apiKey: server.keys.valid }).embedding('embedder')
  const values = Array.from({ length: 2049 }, (_, index) => `text ${index}`)
  const refusal = await embedMany({ model, values, maxRetries: 0 }).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ statusCode: 413, message: expect.stringContaining('embedding-inputs') })
  const middleware = { overrideMaxEmbeddingsPerCall: () => 1024 }
  const { embeddings } = await embedMany({ model: wrapEmbeddingModel({ model, middleware }), values, maxRetries: 0 })
  expect(embeddings).toHaveLength(2049)
})
