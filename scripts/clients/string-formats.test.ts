/** Checks every string format of zod 4 as clients send it: none is refused, and complete answers match it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, Output } from 'ai'
import OpenAI from 'openai'
import { zodFunction, zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import { z } from 'zod'
import { type ServedProcess, startServedProcess } from '../../src/testing/served-process.ts'

const formats: Readonly<Record<string, z.ZodType<string>>> = {
  email: z.email(),
  html5Email: z.email({ pattern: z.regexes.html5Email }),
  rfc5322Email: z.email({ pattern: z.regexes.rfc5322Email }),
  unicodeEmail: z.email({ pattern: z.regexes.unicodeEmail }),
  shortEmail: z.email().max(255),
  uuid: z.uuid(),
  uuidv4: z.uuidv4(),
  uuidv7: z.uuidv7(),
  guid: z.guid(),
  date: z.iso.date(),
  time: z.iso.time(),
  datetime: z.iso.datetime(),
  localDatetime: z.iso.datetime({ offset: true, local: true }),
  duration: z.iso.duration(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  cidrv4: z.cidrv4(),
  cidrv6: z.cidrv6(),
  mac: z.mac(),
  hostname: z.hostname(),
  url: z.url(),
  httpUrl: z.httpUrl(),
  emoji: z.emoji(),
  nanoid: z.nanoid(),
  cuid: z.cuid(),
  cuid2: z.cuid2(),
  ulid: z.ulid(),
  ksuid: z.ksuid(),
  xid: z.xid(),
  base64: z.base64(),
  base64url: z.base64url(),
  jwt: z.jwt(),
  e164: z.e164(),
  hex: z.hex(),
  hash: z.hash('sha256'),
  lowercase: z.string().lowercase(),
  between: z.string().startsWith('a').includes('b').endsWith('c').max(4_000),
  long: z.string().min(2).max(4_000),
  matched: z
    .string()
    .regex(/^(?=.*\d)(?=.*[a-z])\S{8,}$/)
    .max(64),
}

const model = 'inferd/starter-chat'
const question = 'Make one up.'
const maxTokens = 100
/** Formats that only SDKs check, since no pattern describes them. */
const unheld = new Set(['url', 'httpUrl', 'jwt'])

globalThis.AI_SDK_LOG_WARNINGS = false

let served: ServedProcess
let client: OpenAI

beforeAll(async () => {
  served = await startServedProcess()
  client = new OpenAI({ baseURL: served.baseUrl, apiKey: served.key, maxRetries: 0 })
}, 60_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

/** Asks for an answer, and returns its JSON; undefined if it was cut. */
type Ask = (schema: z.ZodObject) => Promise<string | undefined>

const messages = [{ role: 'user' as const, content: question }]

const clients: Readonly<Record<string, Ask>> = {
  'zodResponseFormat of openai': async (schema) => {
    const response_format = zodResponseFormat(schema, 'answer')
    const { choices } = await client.chat.completions.create({
      model,
      messages,
      response_format,
      max_tokens: maxTokens,
    })
    return choices[0]?.finish_reason === 'stop' ? (choices[0].message.content ?? '') : undefined
  },
  'zodFunction of openai': async (schema) => {
    const tools = [zodFunction({ name: 'answer', parameters: schema })]
    const body = { model, messages, tools, tool_choice: 'required' as const, max_tokens: maxTokens }
    const { choices } = await client.chat.completions.create(body)
    const [call] = choices[0]?.message.tool_calls ?? []
    const isWhole = choices[0]?.finish_reason === 'tool_calls' && call?.type === 'function'
    return isWhole ? call.function.arguments : undefined
  },
  'zodTextFormat of openai': async (schema) => {
    const format = zodTextFormat(schema, 'answer')
    const body = { model, input: question, text: { format }, max_output_tokens: maxTokens }
    const { status, output_text: text } = await client.responses.create(body)
    return status === 'completed' ? text : undefined
  },
  'Output.object of the AI SDK by chat': (schema) => askAiSdk('chat', schema),
  'Output.object of the AI SDK by responses': (schema) => askAiSdk('responses', schema),
}

async function askAiSdk(api: 'chat' | 'responses', schema: z.ZodObject): Promise<string | undefined> {
  const provider = createOpenAI({ baseURL: served.baseUrl, apiKey: served.key })
  const output = Output.object({ schema })
  const options = { model: provider[api](model), output, prompt: question, maxOutputTokens: maxTokens, maxRetries: 0 }
  const { finishReason, text } = await generateText(options)
  return finishReason === 'stop' ? text : undefined
}

/** Formats that openai's own helpers do not send. */
const unsent = ['base64', 'base64url', 'between']

/** Returns whether the client sends the format: the AI SDK removes patterns with lookaround from the schema. */
function isSent(format: z.ZodType, client: string): boolean {
  return !client.includes('AI SDK') || !/\(\?[=!<]/.test(JSON.stringify(z.toJSONSchema(format)))
}

test.each(Object.entries(clients))(
  '%s has no string format refused',
  async (client, ask) => {
    const whole: string[] = []
    const failed: string[] = []
    for (const [name, format] of Object.entries(formats)) {
      const text = await ask(z.object({ value: format })).catch((error: unknown) => {
        if (error instanceof OpenAI.APIError || APICallError.isInstance(error)) throw error
        failed.push(name)
        return undefined
      })
      if (text === undefined) continue
      const { value } = z.object({ value: z.string() }).parse(JSON.parse(text))
      const problem = unheld.has(name) || !isSent(format, client) ? undefined : format.safeParse(value).error?.message
      expect([name, value, problem]).toEqual([name, value, undefined])
      whole.push(name)
    }
    expect(whole.length).toBeGreaterThan(15)
    if (!client.includes('AI SDK')) expect(failed).toEqual(unsent)
  },
  120_000,
)
