/**
 * Tests clients whose tools have bounded numbers, against the program as shipped: its starter model must keep the
 * bounds.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import Instructor from 'instructor'
import OpenAI from 'openai'
import { z } from 'zod'
import { z as z3 } from 'zod-3'
import { type ServedProcess, startServedProcess } from '../../src/testing/served-process.ts'

const model = 'inferd/starter-chat'
const question = 'What is the weather in Oslo?'
/** Range that no model hits by chance. */
const bounds = { minimum: 41_234, maximum: 41_236 }

let served: ServedProcess
let client: OpenAI

beforeAll(async () => {
  // Otherwise it sends traces to its vendor.
  setTracingDisabled(true)
  served = await startServedProcess()
  client = new OpenAI({ baseURL: served.baseUrl, apiKey: served.key, maxRetries: 0 })
}, 60_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

test.each([
  ['chat', OpenAIChatCompletionsModel],
  ['responses', OpenAIResponsesModel],
] as const)(
  'the Agents SDK by %s runs a tool whose numbers are bounded',
  async (_, Model) => {
    const ran: number[] = []
    const forecast = tool({
      name: 'forecast',
      description: 'Tells the weather of the next days.',
      parameters: z.object({ days: z.number().min(bounds.minimum).max(bounds.maximum) }),
      execute: ({ days }) => {
        ran.push(days)
        return 'Sun.'
      },
    })
    const agent = new Agent({
      name: 'forecaster',
      instructions: 'Be brief.',
      // The SDK is made for another version of the client's types.
      model: new Model(client as never, model),
      modelSettings: { toolChoice: 'required', maxTokens: 60, temperature: 0 },
      tools: [forecast],
    })
    const runner = new Runner({ tracingDisabled: true })
    expect((await runner.run(agent, question, { maxTurns: 5 })).finalOutput).toBeString()
    const streamed = await runner.run(agent, question, { maxTurns: 5, stream: true })
    await streamed.completed
    expect(streamed.finalOutput).toBeString()
    expect(ran.length).toBeGreaterThanOrEqual(2)
    for (const days of ran) {
      expect(days).toBeGreaterThanOrEqual(bounds.minimum)
      expect(days).toBeLessThanOrEqual(bounds.maximum)
    }
  },
  60_000,
)

test.each(['TOOLS', 'FUNCTIONS'] as const)(
  'instructor in mode %s gets an object that keeps to its schema',
  async (mode) => {
    const schema = z3.object({ days: z3.number().min(bounds.minimum).max(bounds.maximum), isWarm: z3.boolean() })
    // It is made for another version of the client's types.
    const instructor = Instructor({ client: client as never, mode })
    const forecast = await instructor.chat.completions.create({
      model,
      messages: [{ role: 'user', content: question }],
      response_model: { schema, name: 'Forecast' },
      max_retries: 0,
      max_tokens: 100,
    })
    expect(schema.parse(forecast)).toMatchObject({ isWarm: expect.any(Boolean) })
  },
  60_000,
)
