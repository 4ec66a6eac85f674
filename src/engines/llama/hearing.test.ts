/** Tiny random models that hear. All paths through the step loop give the same answers. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage } from '../../core/chat.ts'
import { type SoundPart, textContent } from '../../core/content.ts'
import { hearingModel } from '../../testing/gguf/hearing-models.ts'
import { writeModel } from '../../testing/gguf/model-file.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import { soundPart, tone } from '../../testing/sounds.ts'
import { type Reply, startStarterEngine } from '../../testing/starter-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-hearing-'))
afterAll(() => rmSync(folder, { recursive: true }))

const low = soundPart(join(folder, 'low'), tone(300, 2))
const high = soundPart(join(folder, 'high'), tone(2000, 2))
const long = soundPart(join(folder, 'long'), tone(300, 31))

function question(...sounds: readonly SoundPart[]): ChatMessage {
  return { role: 'user', content: [...textContent('Hear '), ...sounds, ...textContent(' there. What is it?')] }
}

async function start(kind: Parameters<typeof hearingModel>[0], options: Parameters<typeof startStarterEngine>[0] = {}) {
  const { model, projector } = hearingModel(kind)
  const [modelFile, projectorFile] = [join(folder, `${kind}.gguf`), join(folder, `${kind}-mmproj.gguf`)]
  await writeModel(model, modelFile)
  await writeModel(projector, projectorFile)
  return await startStarterEngine({ contextTokens: 4096, ...options }, {}, modelFile, projectorFile)
}

const short = { maxTokens: 4, topLogprobs: 0, sampling: { temperature: 0 } }

/** Returns the log probability of the first token: close for the same prompt, however its batches were cut. */
function likelihood({ events }: Reply): number {
  const told = events.flatMap((event) => (event.type === 'text-delta' ? (event.logprobs ?? []) : []))
  return told[0]?.logprob ?? Number.NaN
}

function audioTokensOf({ events }: Reply): number {
  return events.flatMap((event) => (event.type === 'finish' ? (event.audioTokens ?? 0) : []))[0] ?? 0
}

/** Entries of a part of 30 seconds. */
const entries = { ultravox: 375, qwen2a: 750, 'ultravox-mrope': 375, 'ultravox-gemma3': 375 } as const

test.each(['ultravox', 'qwen2a', 'ultravox-mrope', 'ultravox-gemma3'] as const)(
  'a model of kind %s hears the same sound whole, in pieces, cached and beside others',
  async (kind) => {
    const plain = await start(kind, { prefixCacheMb: 0, imageCacheMb: 0, batchTokens: 512 })
    const expected = await plain.ask({ ...short, messages: [question(low)] })
    expect(audioTokensOf(expected)).toBe(entries[kind])
    expect(audioTokensOf(await plain.ask({ ...short, messages: [question(long, low)] }))).toBe(3 * entries[kind])

    const { ask, send, engine } = await start(kind, { batchTokens: 64 })
    const first = await ask({ ...short, messages: [question(low)] }, 'acc_a')
    const expectSame = (reply: Reply) => {
      expect(reply.usage.promptTokens).toBe(expected.usage.promptTokens)
      expect(likelihood(reply)).toBeCloseTo(likelihood(expected), 1)
    }
    expectSame(first)
    const again = await ask({ ...short, messages: [question(low)] }, 'acc_a')
    expectSame(again)
    if (kind !== 'ultravox-gemma3') expect(again.usage.cachedTokens).toBeGreaterThan(entries[kind])
    const other = await ask({ ...short, messages: [question(high)] }, 'acc_a')
    expect(other.usage.cachedTokens).toBeLessThan(entries[kind])
    expect(likelihood(other)).not.toBe(likelihood(first))
    const ends = await Promise.all([
      send({ ...short, messages: [question(low)], choices: 2 }, 'acc_a').ended,
      send({ ...short, messages: [question(low)] }, 'acc_b').ended,
    ])
    for (const end of ends) {
      if (!('events' in end)) throw new Error(`no answer: ${JSON.stringify(end)}`)
      expectSame(end)
    }
    expect(engine.stats()).toMatchObject({ running: 0, waiting: 0 })
  },
)

test('a model that sees and hears takes both in one message', async () => {
  const { ask } = await start('ultravox-gemma3')
  const bytes = toPng(paint(64, 64, (x, y) => [x, y, 20]))
  const path = join(folder, 'picture')
  writeFileSync(path, bytes)
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const size = { width: 64, height: 64, orientation: 1 }
  const message = question(low)
  const picture = { type: 'image', hash, path, detail: 'auto', ...size, param: 'picture' } as const
  const reply = await ask({ ...short, messages: [{ ...message, content: [...message.content, picture] }] })
  const finish = reply.events.find((event) => event.type === 'finish')
  expect(finish).toMatchObject({ audioTokens: 375, imageTokens: 16 })
})

test('a file that is shorter than it should be is refused by its place', async () => {
  const { send } = await start('ultravox')
  const cut = { ...low, hash: 'cut', samples: low.samples * 2 }
  expect(await send({ ...short, messages: [question(cut)] }).ended).toMatchObject({
    code: 'invalid_audio',
    param: low.param,
  })
})
