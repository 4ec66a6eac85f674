/**
 * Pictures on the starter model with its projector. The answers' content does not matter, only that all paths give the
 * same.
 */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatMessage } from '../../core/chat.ts'
import { type Content, type ImagePart, textContent } from '../../core/content.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import {
  endBias,
  type Payment,
  type Question,
  type Reply,
  starterProjector,
  startStarterEngine,
} from '../../testing/starter-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-vision-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Colour = readonly [number, number, number]

/** Makes a picture of two colours. `param` is its name. */
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

function startSeeing(options: Parameters<typeof startStarterEngine>[0] = {}, payment: Payment = {}) {
  return startStarterEngine(options, payment, undefined, starterProjector)
}

/**
 * Short answers only: two tokens may be nearly as likely, and batches of other sizes add in another order, so that long
 * answers diverge.
 */
const short: Question = { maxTokens: 4, sampling: { temperature: 0, logitBias: endBias } }

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

/**
 * One token with the log probabilities of others: sums in another order change these a little, but a close choice
 * completely.
 */
const look: Question = { maxTokens: 1, topLogprobs: 5, sampling: { temperature: 0, logitBias: endBias } }

/** Returns the possible first tokens with their log probabilities. */
function firstTokens({ events }: Reply, choice = 0): Map<string, number> {
  const tokens = events.flatMap((event) =>
    event.type === 'text-delta' && event.choice === choice ? (event.logprobs ?? []) : [],
  )
  return new Map(tokens[0]?.alternatives.map(({ token, logprob }) => [token, logprob]))
}

function expectSame(found: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): void {
  const [likeliest] = wanted
  if (likeliest === undefined) throw new Error('nothing was said')
  const [token, logprob] = likeliest
  expect(found.get(token) ?? Number.NaN).toBeCloseTo(logprob, 1)
}

/** A prompt in which two equal pictures stand next to each other. */
const mixed = user('First ', red, red, ' then ', blue, ' and at last ', green, '. What did you see?')

test('answers are the same whatever was cached, copied, encoded or computed in pieces before', async () => {
  const question = { ...look, messages: [mixed] }
  const plain = await startSeeing({ prefixCacheMb: 0, imageCacheMb: 0, batchTokens: 512 })
  const expected = firstTokens(await plain.ask(question))
  expectSame(firstTokens(await plain.ask(question)), expected)
  expect(plain.engine.stats().encodedPictures).toBe(6)

  const { ask, send, engine } = await startSeeing({ batchTokens: 32 })
  const first = await ask(question, 'acc_a')
  const again = await ask(question, 'acc_a')
  expectSame(firstTokens(first), expected)
  expectSame(firstTokens(again), expected)
  expect(again.usage.cachedTokens).toBe(first.usage.promptTokens - 1)
  expect(engine.stats().encodedPictures).toBe(3)
  // With another beginning the pictures are decoded again, but not encoded.
  const moved = await ask({ ...look, messages: [user('Well, ', green, red, '?')] }, 'acc_a')
  expect(moved.usage.cachedTokens).toBeLessThan(10)
  expect(engine.stats().encodedPictures).toBe(3)
  // Another account shares nothing. Beside it, a second choice shares everything.
  const [other, twice] = await Promise.all(
    [send(question, 'acc_b'), send({ ...question, choices: 2 }, 'acc_a')].map(async ({ ended }) =>
      answered(await ended),
    ),
  )
  expect([other?.usage.cachedTokens, twice?.usage.promptTokens]).toEqual([0, first.usage.promptTokens])
  for (const [reply, choice] of [
    [other, 0],
    [twice, 0],
    [twice, 1],
  ] as const) {
    if (reply !== undefined) expectSame(firstTokens(reply, choice), expected)
  }
  expect(engine.stats().encodedPictures).toBe(6)
})

function answered(end: Reply | object): Reply {
  if (!('events' in end)) throw new Error(`no answer: ${JSON.stringify(end)}`)
  return end
}

test('other pictures at the same places are another prompt', async () => {
  const { ask } = await startSeeing()
  const asked = (left: ImagePart, right: ImagePart) =>
    ask({ ...short, messages: [user(left, 'or', right, '?')] }, 'acc_a')
  const first = await asked(red, blue)
  const other = await asked(red, green)
  const swapped = await asked(blue, red)
  const half = first.usage.promptTokens / 2
  expect(other.usage.cachedTokens).toBeGreaterThan(half - 8)
  expect(other.usage.cachedTokens).toBeLessThan(first.usage.promptTokens - 16)
  expect(swapped.usage.cachedTokens).toBeLessThan(16)
})

test('a count is that of the answer, and reads no picture', async () => {
  const { ask, count, engine } = await startSeeing()
  const counted = await count({ messages: [user('And this? ', damaged, red)] })
  expect(engine.stats().encodedPictures).toBe(0)
  const { usage } = await ask({ ...short, messages: [user('And this? ', blue, red)] })
  expect(counted).toMatchObject([{ type: 'start', promptTokens: usage.promptTokens }, { type: 'finish' }])
})

test('a picture that cannot be decoded is refused by its place before others are encoded, and disturbs none', async () => {
  const { send, engine } = await startSeeing()
  const [bad, good, text] = await Promise.all(
    [user('See ', blue, damaged, '?'), user(red, 'What?'), user('Hello!')]
      .map((message) => send({ ...short, messages: [message] }))
      .map(({ ended }) => ended),
  )
  expect(bad).toMatchObject({ kind: 'invalid_request', code: 'invalid_image', param: 'damaged' })
  expect([good, text]).toMatchObject([{ finish: ['length'] }, { finish: ['length'] }])
  expect(engine.stats()).toMatchObject({ encodedPictures: 1, running: 0, waiting: 0 })
})

test.each([
  ['decoded', 1, 0],
  ['encoded', 2, 1],
])('a request that is cancelled while its picture is %s is charged what was decoded before', async (_, time, count) => {
  let handled = 0
  const { send, ask, engine } = await startSeeing(
    {},
    {
      onEncoding: (id, hashes) => {
        if (id === 1 && hashes.length > 0 && ++handled === time) engine.cancel(id)
      },
    },
  )
  const { ended } = send({ ...short, messages: [user('Before. ', red)] }, 'acc_a')
  const usage = await ended
  if (!('promptTokens' in usage)) throw new Error('not cancelled')
  expect(usage.promptTokens).toBeLessThan(32)
  expect(engine.stats()).toMatchObject({ encodedPictures: count, running: 0, waiting: 0 })
  // Pictures encoded for that request serve the next one.
  await ask({ ...short, messages: [user('Before. ', red)] }, 'acc_a')
  expect(engine.stats()).toMatchObject({ encodedPictures: 1, running: 0, waiting: 0 })
})

test('eight streams, two of them with pictures, take what they take alone', async () => {
  const { ask, send } = await startSeeing({ parallel: 8, contextTokens: 4096 })
  const questions = Array.from({ length: 8 }, (_, index) =>
    index % 4 === 0 ? user(`Number ${index}: `, index === 0 ? red : green, '?') : user(`Tell me about ${index}.`),
  )
  const together = await Promise.all(
    questions.map((message) => send({ ...short, messages: [message] })).map(({ ended }) => ended),
  )
  for (const [index, message] of questions.entries()) {
    const { finish, usage } = await ask({ ...short, messages: [message] })
    expect(together[index]).toMatchObject({ finish, usage })
  }
})

test('a model without a projector refuses pictures, and a projector of another model is not loaded', async () => {
  const { refused } = await startStarterEngine()
  expect(await refused({ messages: [user(red)] })).toMatchObject({ code: 'unsupported_content', param: 'red' })
  const missing = startStarterEngine({}, {}, undefined, join(folder, 'none.gguf'))
  await expect(missing).rejects.toMatchObject({ name: 'LoadError' })
})
