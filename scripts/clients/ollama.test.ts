/**
 * Tests every method of Ollama's own client, in its current and older versions, over real sockets and against scripted
 * engines.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { Ollama as Current } from 'ollama'
import { Ollama as Oldest } from 'ollama-0.5.0'
import { Ollama as Older } from 'ollama-0.5.9'
import { startTestServer } from '../../src/testing/test-server.ts'
import { textModels } from '../../src/testing/text-models.ts'
import { description, expectWholeConversation, failure, parameters, question, script, weather } from './weather.ts'

const server = startTestServer({
  parallel: 8,
  models: { ...textModels, 'test/other': { manifest: { aliases: [{ id: 'other' }] } } },
  hasOllamaDoor: true,
  config: { servesKeyless: true },
})
afterAll(() => server[Symbol.asyncDispose]())

/** None of the clients sends a key by itself. */
const host = server.ollamaUrl ?? ''
const clients = {
  'ollama 0.6.4': new Current({ host }),
  'ollama 0.5.9': new Older({ host }) as unknown as Current, // what it has is the same
  'ollama 0.5.0': new Oldest({ host }) as unknown as Current,
}
const ask = (content: string) => [{ role: 'user', content }]
const words = script({ reasoning: 'Hm.' }, { text: 'Blue ' }, { text: 'light.' })

describe.each(Object.entries(clients))('%s', (_, client) => {
  const hasEmbed = 'embed' in client
  const model = 'fake'

  test('chats, whole', async () => {
    const { message, done, ...rest } = await client.chat({ model, messages: ask('Hello there') })
    expect({ message, done }).toEqual({ message: { role: 'assistant', content: 'Hello there' }, done: true })
    const { prompt_eval_count: read, eval_count: written, total_duration: total } = rest
    expect({ read, written }).toEqual({ read: 5, written: 2 })
    expect(total).toBeGreaterThanOrEqual(rest.load_duration + rest.prompt_eval_duration)
  })

  test('chats in a stream, thinking apart', async () => {
    const parts = []
    for await (const part of await client.chat({ model, messages: ask(words), stream: true })) parts.push(part)
    expect(parts.map(({ message }) => message.content).join('')).toBe('Blue light.')
    expect(parts.map(({ message }) => message.thinking ?? '').join('')).toBe('Hm.')
    expect(parts.map(({ done }) => done)).toEqual([false, false, false, true])
  })

  test('calls a tool, and sends its result without naming the call', async () => {
    const tools = [{ type: 'function', function: { name: 'weather', description, parameters } }]
    const { message } = await client.chat({ model, messages: ask(question), tools })
    const city = { city: 'Oslo' }
    expect(message.tool_calls).toMatchObject([{ function: { name: 'weather', arguments: city } }])
    const messages = [...ask(question), message, { role: 'tool', content: weather(city) }]
    expectWholeConversation((await client.chat({ model, messages, tools })).message.content)
  })

  test('generates, whole and in a stream', async () => {
    expect((await client.generate({ model, prompt: 'Hello there' })).response).toBe('Hello there')
    let text = ''
    for await (const part of await client.generate({ model, prompt: words, stream: true })) text += part.response
    expect(text).toBe('Blue light.')
  })

  test('loads a model, and unloads it', async () => {
    const loaded = await client.generate({ model: 'other', prompt: '' })
    expect(loaded).toMatchObject({ done: true, done_reason: 'load' })
    expect(server.pool.isLoaded('test/other')).toBe(true)
    await client.generate({ model: 'other', prompt: '', keep_alive: 0 })
  })

  test('embeds', async () => {
    const { embedding } = await client.embeddings({ model: 'embedder', prompt: 'one' })
    expect(embedding.length).toBeGreaterThan(1)
    if (!hasEmbed) return
    const { embeddings } = await client.embed({ model: 'embedder', input: ['one', 'two'] })
    expect(embeddings).toHaveLength(2)
    expect(embeddings[0]).toEqual(embedding)
  })

  test('lists and shows the models', async () => {
    const { models } = await client.list()
    expect(models.map(({ name }) => name)).toContain('test/fake:latest')
    const shown = await client.show({ model: 'fake:latest' })
    expect(shown.details.format).toBe('gguf')
    if ('version' in client) expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/)
    if ('ps' in client) expect((await client.ps()).models.map(({ name }) => name)).toContain('test/fake:latest')
  })

  test('pulls a model that is here, and is told why it may change none', async () => {
    expect((await client.pull({ model: 'fake' })).status).toBe('success')
    const states = []
    for await (const { status } of await client.pull({ model: 'fake', stream: true })) states.push(status)
    expect([states[0], states.at(-1)]).toEqual(['pulling manifest', 'success'])
    const refused = /operator|not supported/
    await expect(client.pull({ model: 'none/none' })).rejects.toThrow(refused)
    await expect(client.delete({ model: 'fake' })).rejects.toThrow(refused)
    await expect(client.copy({ source: 'fake', destination: 'b' })).rejects.toThrow(refused)
    await expect(client.push({ model: 'fake' })).rejects.toThrow(refused)
    await expect(client.create({ model: 'b', from: 'fake' })).rejects.toThrow(/operator|not supported|modelfile/i)
  })

  test('throws the words of an error, before a stream and in it', async () => {
    const unknown = client.chat({ model: 'none', messages: ask('hi') })
    await expect(unknown).rejects.toThrow("model 'none' not found, try pulling it first")
    const failing = script({ text: 'a' }, failure)
    const read = async () => {
      for await (const _part of await client.chat({ model, messages: ask(failing), stream: true }));
    }
    await expect(read()).rejects.toThrow(failure.error.message)
  })

  test('ends what is aborted', async () => {
    const waiting = script({ text: 'a' }, { waitForCancel: true })
    const stream = await client.chat({ model, messages: ask(waiting), stream: true })
    const read = async () => {
      for await (const _part of stream) client.abort()
    }
    await expect(read()).rejects.toThrow('abort')
  })
})
