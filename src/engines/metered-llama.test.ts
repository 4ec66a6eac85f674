/** Clients that leave at any moment, on the starter model in a real child: what they owe is what was computed. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { ChatEvent } from '../core/chat.ts'
import { textContent } from '../core/content.ts'
import type { Usage } from '../core/usage.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testPool } from '../testing/engine-pool.ts'
import { testEngineSettings } from '../testing/engine-settings.ts'
import { lastOf, upTo } from '../testing/grants.ts'
import { endBias } from '../testing/starter-engine.ts'
import type { EnginePool } from './pool.ts'
import type { EngineMeter } from './protocol/work-engines.ts'
import { runtimePaths } from './runtime/runtime-paths.ts'

const root = join(import.meta.dir, '../..')
const manifest = { id: 'test/chat', type: 'chat', engine: 'llama', aliases: [], files: [] } as const
const model = {
  manifest: { ...manifest, capabilities: {}, defaults: {} },
  filePaths: { model: join(root, 'models/starter/starter-chat-q8_0.gguf') },
}
const longText = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ')
const nothing: Usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }

function startPool() {
  return testPool({
    settings: { ...testEngineSettings, batchTokens: 16, contextTokens: 4096 },
    runtime: () => runtimePaths(''),
  })
}

/** Where a client leaves: `events` after its start, by aborting or by reading no further; or not at all. */
interface Leaving {
  readonly events: number
  readonly way: 'signal' | 'return' | 'never'
}

/** What the client has to pay. */
async function owed(pool: EnginePool, index: number, { events, way }: Leaving): Promise<Usage> {
  let usage: Usage | undefined
  let granted = 0
  const slice = 3 + (index % 9)
  const more = async (limit: number) => {
    granted = Math.min(granted + slice, limit)
    return granted === limit ? lastOf(granted) : upTo(granted)
  }
  let limit = 0
  const meter: EngineMeter = {
    begin: ({ most }) => {
      limit = most.completionTokens
      return more(limit)
    },
    extend: () => more(limit),
    cancelled: (computed) => {
      if (usage !== undefined) throw new Error('told twice')
      usage = computed
    },
  }
  const abort = new AbortController()
  const content = index % 2 === 0 ? 'Hello!' : `${index} ${longText}`
  const request = chatRequest({
    messages: [{ role: 'user', content: textContent(content) }],
    sampling: { temperature: 0, logitBias: endBias },
    reasoning: { mode: 'off' },
    choices: 1 + (index % 3),
    maxTokens: 20,
  })
  const context = { accountId: `acc_${index % 4}`, signal: abort.signal, meter }
  const answer = pool.run(model, { kind: 'chat', request }, context)
  const read = async (leave: () => boolean) => {
    let seen = 0
    for await (const event of answer as AsyncIterable<ChatEvent>) {
      if (event.type === 'finish') usage = event.usage
      if (seen++ === events && leave()) return
    }
  }
  await read(() => {
    if (way === 'signal') abort.abort('left')
    return way === 'return'
  }).catch((error: unknown) => expect(error).toBe('left'))
  return usage ?? nothing
}

test('the sum of what clients owe is what the engine computed', async () => {
  const pool = startPool()
  const ways = ['signal', 'return', 'never'] as const
  const clients = Array.from({ length: 60 }, (_, index) => ({
    events: (index * 7) % 23,
    way: ways[index % 5 === 0 ? 2 : index % 2] ?? 'never',
  }))
  const usages = await Promise.all(clients.map((leaving, index) => owed(pool, index, leaving)))
  const sum = (count: (usage: Usage) => number) => usages.reduce((total, usage) => total + count(usage), 0)
  expect(await pool.stats('test/chat')).toMatchObject({
    generatedTokens: sum((usage) => usage.completionTokens),
    reusedPromptTokens: sum((usage) => usage.cachedTokens),
    decodedPromptTokens: sum((usage) => usage.promptTokens - usage.cachedTokens),
    running: 0,
    waiting: 0,
  })
  expect(pool.status()).toMatchObject([{ running: 0, waiting: 0 }])
  expect(usages.filter((usage) => usage.completionTokens > 0).length).toBeGreaterThan(30)
  await pool.stop()
}, 60_000)
