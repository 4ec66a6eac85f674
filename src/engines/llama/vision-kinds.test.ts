/**
 * Tiny random models, one for each way in which llama.cpp shows pictures to a model. All paths through the step loop
 * give the same answers.
 */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage } from '../../core/chat.ts'
import { type ImagePart, textContent } from '../../core/content.ts'
import { writeModel } from '../../testing/gguf/model-file.ts'
import { visionModel } from '../../testing/gguf/vision-models.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import { type Reply, startStarterEngine } from '../../testing/starter-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-vision-kinds-'))
afterAll(() => rmSync(folder, { recursive: true }))

function picture(name: string, width: number, height: number, blue: number): ImagePart {
  const bytes = toPng(paint(width, height, (x, y) => [x, y, blue]))
  const path = join(folder, name)
  writeFileSync(path, bytes)
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  return { type: 'image', hash, path, detail: 'auto', width, height, orientation: 1, param: name }
}

const wide = picture('wide', 100, 40, 200)
const square = picture('square', 64, 64, 20)
const question: ChatMessage = {
  role: 'user',
  content: [...textContent('See '), wide, wide, ...textContent(' and '), square, ...textContent(' there. What is it?')],
}

/** Returns the log probability of the first token: close for the same prompt, however its batches were cut. */
function likelihood({ events }: Reply): number {
  const told = events.flatMap((event) => (event.type === 'text-delta' ? (event.logprobs ?? []) : []))
  return told[0]?.logprob ?? Number.NaN
}

const kinds = ['janus_pro', 'gemma3', 'qwen2vl_merger', 'internvl', 'idefics3'] as const

test.each(kinds)('a model of kind %s sees the same pictures whole, in pieces, cached and copied', async (kind) => {
  const { model, projector } = visionModel(kind)
  const [modelFile, projectorFile] = [join(folder, `${kind}.gguf`), join(folder, `${kind}-mmproj.gguf`)]
  await writeModel(model, modelFile)
  await writeModel(projector, projectorFile)
  const start = (options: Parameters<typeof startStarterEngine>[0]) =>
    startStarterEngine({ contextTokens: 2048, ...options }, {}, modelFile, projectorFile)
  const short = { maxTokens: 4, topLogprobs: 0, sampling: { temperature: 0 } }

  const plain = await start({ prefixCacheMb: 0, imageCacheMb: 0, batchTokens: 512 })
  const expected = await plain.ask({ ...short, messages: [question] })
  expect(plain.engine.stats().encodedPictures).toBe(2)
  const expectSame = (reply: Reply) => {
    expect(reply.usage.promptTokens).toBe(expected.usage.promptTokens)
    expect(likelihood(reply)).toBeCloseTo(likelihood(expected), 1)
  }

  const { ask, send, engine } = await start({ batchTokens: 32 })
  const first = await ask({ ...short, messages: [question] }, 'acc_a')
  expectSame(first)
  const again = await ask({ ...short, messages: [question] }, 'acc_a')
  expectSame(again)
  const next: ChatMessage[] = [question, { role: 'assistant', content: textContent('It is.') }]
  const second = await ask({ ...short, messages: [...next, { role: 'user', content: textContent('And?') }] }, 'acc_a')
  expect(second.usage.cachedTokens).toBeGreaterThan(kind === 'gemma3' ? 0 : first.usage.promptTokens / 2)
  // The other request runs beside it, so cached contents are moved.
  const ends = await Promise.all([
    send({ ...short, messages: [question], choices: 2 }, 'acc_a').ended,
    send({ ...short, messages: [question] }, 'acc_b').ended,
  ])
  for (const end of ends) {
    if (!('events' in end)) throw new Error(`no answer: ${JSON.stringify(end)}`)
    expectSame(end)
  }
  expect(engine.stats()).toMatchObject({ encodedPictures: 4, running: 0, waiting: 0 })
})
