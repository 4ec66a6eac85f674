/** Clients that continue texts, unchanged, against the starter model. */
import { afterAll, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { OpenAI as LangChain } from '@langchain/openai'
import { generateText, streamText } from 'ai'
import OpenAI, { BadRequestError } from 'openai'
import { embeddedFilePath } from '../engines/runtime/runtime-paths.ts'
import { startTestServer } from '../testing/test-server.ts'

const model = 'test/real'
const path = embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? ''
const manifest = { engine: 'llama', contextLength: 2048 } as const
const server = startTestServer({ models: { [model]: { manifest, filePaths: { model: path } } } })
afterAll(() => server[Symbol.asyncDispose]())

const prompt = 'The sky is'
const greedy = { model, max_tokens: 8, temperature: 0 }
const access = { baseURL: server.baseUrl, apiKey: server.keys.valid }
const client = new OpenAI({ ...access, maxRetries: 0 })
const { choices } = await client.completions.create({ ...greedy, prompt })
const continued = choices[0]?.text ?? ''

test("OpenAI's client: whole, streamed, several prompts, log probabilities", async () => {
  expect(continued).toMatch(/\w/)
  let text = ''
  for await (const chunk of await client.completions.create({ ...greedy, prompt, stream: true })) {
    text += chunk.choices[0]?.text ?? ''
  }
  expect(text).toBe(continued)
  const several = await client.completions.create({ ...greedy, prompt: [prompt, prompt], logprobs: 1 })
  expect(several.choices.map((choice) => choice.text)).toEqual([continued, continued])
  expect(several.choices[1]?.logprobs?.tokens?.join('')).toBe(continued)
})

test("OpenAI's client: a refusal is an error of its class", async () => {
  const refused = client.completions.create({ ...greedy, prompt, suffix: 'blue' })
  const error = await refused.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(BadRequestError)
  expect(error).toMatchObject({ code: 'unsupported_parameter', param: 'suffix' })
})

test.each([
  ['@ai-sdk/openai', createOpenAI(access).completion(model)],
  ['@ai-sdk/openai-compatible', createOpenAICompatible({ ...access, name: 'inferd' }).completionModel(model)],
])('%s: whole and streamed', async (_name, completionModel) => {
  const settings = { model: completionModel, prompt, maxOutputTokens: 8, temperature: 0, maxRetries: 0 }
  const { text, finishReason, usage } = await generateText(settings)
  expect(text).toMatch(/\w/)
  expect(usage.inputTokens).toBeGreaterThan(3)
  const streamed = streamText(settings)
  expect(await streamed.text).toBe(text)
  expect(await streamed.finishReason).toBe(finishReason)
})

test('LangChain: several prompts, each with several answers, come back in their order', async () => {
  const settings = { apiKey: server.keys.valid, configuration: { baseURL: server.baseUrl }, maxRetries: 0 }
  const llm = new LangChain({ ...settings, model, maxTokens: 8, temperature: 0, n: 2 })
  const { generations, llmOutput } = await llm.generate([prompt, 'Once upon a time', prompt])
  const texts = generations.map((each) => each.map(({ text }) => text))
  expect(texts).toHaveLength(3)
  expect(texts[0]).toEqual([continued, continued])
  expect(texts[2]).toEqual([continued, continued])
  expect(texts[1]?.[0]).not.toBe(continued)
  expect(llmOutput).toMatchObject({ tokenUsage: { completionTokens: expect.any(Number) } })
  const pieces: string[] = []
  const one = new LangChain({ ...settings, model, maxTokens: 8, temperature: 0 })
  for await (const piece of await one.stream(prompt)) pieces.push(piece)
  expect(pieces.join('')).toBe(continued)
})
