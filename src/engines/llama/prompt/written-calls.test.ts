/** Models whose template knows no tools call tools all the same. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage, Tool } from '../../../core/chat.ts'
import { textContent } from '../../../core/content.ts'
import { chatRequest } from '../../../testing/chat-request.ts'
import { tinyGguf } from '../../../testing/gguf/tiny-gguf.ts'
import { readReply } from '../../../testing/read-reply.ts'
import { startStarterEngine } from '../../../testing/starter-engine.ts'
import { openTemplateModels, shippedTemplate, type TemplateModels } from '../../../testing/template-models.ts'
import { samplerOptions } from '../answer/samplers.ts'
import { preparePrompt } from './prepare-prompt.ts'
import { thinkingInPrompt } from './thinking.ts'

let models: TemplateModels
const folder = mkdtempSync(join(tmpdir(), 'inferd-written-calls-'))

beforeAll(async () => {
  models = await openTemplateModels()
})

afterAll(async () => {
  await models.dispose()
  rmSync(folder, { recursive: true })
})

const properties = { days: { type: 'integer' } }
const tools: readonly Tool[] = [
  {
    name: 'forecast',
    description: 'Tells "rain" ahead',
    parameters: { type: 'object', properties, required: ['days'] },
  },
  { name: 'now', parameters: { type: 'object', properties: {} } },
]
const call = '<tool_call>\n{"name": "forecast", "arguments": {"days": 3}}\n</tool_call>'
const second = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'

describe.each([
  'microsoft-Phi-3.5-mini-instruct',
  'google-gemma-2-2b-it',
  'HuggingFaceTB-SmolLM3-3B',
  'deepseek-ai-DeepSeek-R1-Distill-Llama-8B',
  'ibm-granite-granite-3.3-2B-Instruct',
  'llama-cpp-rwkv-world',
])('%s', (template) => {
  test('is shown the tools, earlier calls and their results', async () => {
    const model = await models.load(shippedTemplate(template))
    expect(model.abilities.tools).toBe('none')
    const messages: ChatMessage[] = [
      { role: 'user', content: textContent('Rain?') },
      { role: 'assistant', content: [], toolCalls: [{ id: 'x', name: 'forecast', argumentsText: '{"days": 3}' }] },
      { role: 'tool', content: textContent('sunny'), toolCallId: 'x' },
    ]
    const { prompt } = await preparePrompt(model, chatRequest({ messages, tools }))
    for (const shown of ['rain', '"days"', 'now', 'name_of_function', call, 'sunny']) expect(prompt).toContain(shown)
  })

  test('its calls are read, in pieces of any size', async () => {
    const model = await models.load(shippedTemplate(template))
    const { format, grammar } = await preparePrompt(model, chatRequest({ tools, reasoning: { mode: 'off' } }))
    expect(grammar.isLazy).toBe(true)
    const calls = [
      { name: 'forecast', arguments: '{"days": 3}' },
      { name: 'now', arguments: '{}' },
    ]
    const thought = thinkingInPrompt(format) === 'open' ? 'Hm <tool_call>.</think>\n\n' : ''
    const answer = `${thought}One moment.\n${call}\n${second}`
    for (let at = 0; at < answer.length; at++) {
      const reply = readReply(format, [answer.slice(0, at), answer.slice(at)])
      expect({ ...reply, text: reply.text.trimEnd() }).toMatchObject({ text: 'One moment.', calls })
    }
    expect(readReply(format, [...answer]).calls).toEqual(calls)
    expect(readReply(format, [...answer], true).calls).toEqual(calls.slice(0, 1))
    expect(readReply(format, [...`${thought}a < b, <tool>`]).text).toBe('a < b, <tool>')
    // Invalid JSON in the name: callers may begin answers so, and no grammar prevents that.
    for (const name of ['\\x', '\\u12', 'a\nb']) {
      const unreadable = `${thought}${call.replace('forecast', name)}`
      for (const pieces of [[unreadable], [...unreadable]]) expect(readReply(format, pieces).calls).toEqual([])
    }
    const none = await preparePrompt(model, chatRequest({ tools, toolChoice: { mode: 'none' } }))
    expect(none.grammar.text).toBe('')
  })

  test('a required call keeps to the schema of its tool', async () => {
    const file = join(folder, `${template}.gguf`)
    writeFileSync(file, tinyGguf({ chatTemplate: { jinja: shippedTemplate(template) }, endBias: 0 }))
    const { ask } = await startStarterEngine({ contextTokens: 4096 }, {}, file)
    for (const reasoning of [{ mode: 'off' as const }, { mode: 'on' as const, budgetTokens: 5 }]) {
      const { events } = await ask({
        text: 'Rain?',
        tools,
        reasoning,
        toolChoice: { mode: 'required' },
        maxTokens: 300,
      })
      const names = events.flatMap((event) => (event.type === 'tool-call-start' ? [event.name] : []))
      expect(names.length).toBeGreaterThan(0)
      for (const name of names) expect(['forecast', 'now']).toContain(name)
    }
  }, 60_000)

  test('what begins a call is held to the grammar', async () => {
    const model = await models.load(shippedTemplate(template))
    const request = chatRequest({ tools })
    const prepared = await preparePrompt(model, request)
    const options = samplerOptions(request, prepared, { choice: 0, randomSeed: 0 })
    expect(() => new models.addon.Sampler(model, options)).not.toThrow()
  })
})
