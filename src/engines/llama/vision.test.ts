/** Pictures on the starter model with its projector. What it answers does not matter here, only that all ways lead to the same. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage } from '../../core/chat.ts'
import { type Content, type ImagePart, textContent } from '../../core/content.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import { endBias, type Question, starterProjector, startStarterEngine } from '../../testing/starter-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-vision-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Colour = readonly [number, number, number]

/** A picture of two colours. `param` is its name. */
function picture(name: string, left: Colour, right: Colour, size = 64): ImagePart {
  return stored(name, toPng(paint(size, size, (x) => (x < size / 2 ? left : right))), size)
}

function stored(name: string, bytes: Uint8Array, size = 64): ImagePart {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  return { type: 'image', hash, path, detail: 'auto', width: size, height: size, orientation: 1, param: name }
}

const red = picture('red', [255, 0, 0], [255, 255, 255])
const blue = picture('blue', [0, 0, 255], [0, 0, 0])
const green = picture('green', [0, 255, 0], [0, 0, 0])
const damaged = stored('damaged', toPng(paint(64, 64, () => [0, 0, 0])).subarray(0, 80))

function user(...content: (string | ImagePart)[]): ChatMessage {
  return {
    role: 'user',
    content: content.flatMap((part): Content => (typeof part === 'string' ? textContent(part) : [part])),
  }
}

function assistant(text = ''): ChatMessage {
  return { role: 'assistant', content: textContent(text) }
}

function startSeeing(options: Parameters<typeof startStarterEngine>[0] = {}) {
  return startStarterEngine(options, {}, undefined, starterProjector)
}

let standard: ReturnType<typeof startSeeing> | undefined
function seeing() {
  standard ??= startSeeing()
  return standard
}

const short: Question = { maxTokens: 12, sampling: { temperature: 0, logitBias: endBias } }

test('a picture is prompt tokens, and the next turn finds it in the cache', async () => {
  const { ask, engine } = await startSeeing()
  const question = user('What colour is this?', red)
  const without = await ask({ ...short, messages: [user('What colour is this?')] }, 'acc_other')
  const first = await ask({ ...short, messages: [question] }, 'acc_a')
  expect(first.usage.promptTokens).toBeGreaterThan(without.usage.promptTokens + 16)
  expect(engine.stats().encodedPictures).toBe(1)
  const next = [question, assistant(first.texts[0]), user('And now?')]
  const second = await ask({ ...short, messages: next }, 'acc_a')
  expect(second.usage.cachedTokens).toBeGreaterThanOrEqual(first.usage.promptTokens)
  expect(engine.stats().encodedPictures).toBe(1)
})
