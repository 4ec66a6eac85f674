/** Pictures between the steps; the test ends each step and encoding. Pictures are decoded at once. */
import { expect, test } from 'bun:test'
import { lastOf } from '../../../testing/grants.ts'
import { everything, startHeldLoop } from '../../../testing/held-loop.ts'
import { layoutOf } from '../../../testing/prompt-layouts.ts'

const cat = { name: 'cat', entries: 8 }
const dog = { name: 'dog', entries: 8 }
const pictures = { pictures: [cat, dog] }

/** Ends the running step or encoding, `count` times. Returns the kinds. */
async function follow({ doing, goOn, endEncoding, settle }: ReturnType<typeof startHeldLoop>, count: number) {
  const kinds: string[] = []
  await settle()
  for (let step = 0; step < count; step++) {
    kinds.push(doing())
    await (doing() === 'encoding' ? endEncoding() : goOn())
  }
  return kinds
}

const isStart = (item: object) => 'event' in item && (item.event as { type: string }).type === 'start'

test('a picture is encoded, decoded, and then what follows it', async () => {
  const held = startHeldLoop({ pictures })
  held.add(1, layoutOf('ab', cat, 'c'))
  expect(await follow(held, 5)).toEqual(['tokens', 'encoding', 'pictures', 'tokens', 'tokens'])
  const [text, picture, rest] = held.steps
  expect(text?.batch).toMatchObject({ positions: Int32Array.of(0, 1), outputs: [] })
  expect(picture?.batch.positions).toEqual(Int32Array.from([2, 3, 4, 5, 6, 7, 8, 9]))
  expect(picture?.batch).toMatchObject({ tokens: new Int32Array(0), outputs: [] })
  expect(rest?.batch).toMatchObject({ positions: Int32Array.of(10), outputs: [{ entry: 0 }] })
  expect(held.loop.stats()).toMatchObject({ encodedPictures: 1, decodedPromptTokens: 11 })
})

test('a running answer gets a token between an encoding and each piece of a picture', async () => {
  const held = startHeldLoop({ pictures, batchTokens: 5 })
  held.add(1, [10, 11])
  await held.goOn()
  held.add(2, layoutOf(cat, dog, 'x'))
  const kinds = await follow(held, 14)
  for (const [index, kind] of kinds.entries()) if (kind !== 'tokens') expect(kinds[index + 1]).toBe('tokens')
  expect(kinds.filter((kind) => kind === 'encoding')).toHaveLength(2)
  expect(held.textTokens(1)).toBe(1 + kinds.filter((kind) => kind === 'tokens').length)
})

test('answers that go one after the other go together beside pictures, so that each waits for one of these at a time', async () => {
  const held = startHeldLoop({ pictures, batchTokens: 4, sequences: 4 })
  const goOn = async (count: number) => {
    for (let step = 0; step < count; step++) {
      held.passMs(held.decoding().length === 1 ? 20 : 100)
      await (held.doing() === 'encoding' ? held.endEncoding() : held.goOn())
    }
  }
  for (const id of [1, 2, 3]) held.add(id, [10])
  await goOn(10)
  expect(held.decoding()).toHaveLength(1)
  held.add(4, layoutOf(cat, dog, 'x'))
  // Nothing changes while a picture is read from its file.
  await goOn(2)
  const pieces: number[] = []
  for (; held.textTokens(4) === 0; await goOn(1)) if (held.doing() === 'tokens') pieces.push(held.decoding().length)
  expect(pieces.slice(0, -1)).toEqual([3, 3, 3, 3, 3])
})

test('a large picture that is decoded in pieces does not keep others from being encoded', async () => {
  const held = startHeldLoop({ pictures, batchTokens: 2 })
  held.add(1, layoutOf(cat, 'x'))
  await held.endEncoding()
  held.add(2, layoutOf(dog, 'y'))
  expect(await follow(held, 4)).toEqual(['pictures', 'pictures', 'encoding', 'pictures'])
})

test('while answers wait one picture is encoded at a time, else as many as there are', async () => {
  const held = startHeldLoop({ pictures })
  held.add(1, layoutOf(cat, dog, 'x'))
  await held.settle()
  expect(held.encodings[0]?.pictures).toEqual(['cat', 'dog'])
  held.loop.cancel(1)
  held.add(2, [10])
  await held.endEncoding(2)
  await held.goOn()
  held.add(3, layoutOf(dog, cat, 'x'))
  await held.goOn(2)
  expect(held.encodings[1]?.pictures).toEqual(['dog'])
})

test('accounts take turns: one picture of a new account comes before the next ones of another', async () => {
  const held = startHeldLoop({ pictures, sequences: 4 })
  held.add(9, [10])
  await held.goOn()
  held.add(1, layoutOf(cat, dog, 'x'), everything, 1, 'greedy')
  held.add(2, layoutOf(dog, 'y'), everything, 1, 'greedy')
  held.add(3, layoutOf(cat, 'z'), everything, 1, 'other')
  await follow(held, 12)
  expect(held.encodings.slice(0, 2).map(({ pictures }) => pictures)).toEqual([['cat'], ['cat']])
})

test('requests of one account that have the same picture share its encoding, those of others do not', async () => {
  const held = startHeldLoop({ pictures, sequences: 3 })
  held.add(1, layoutOf(cat, 'x'), everything, 1, 'acc_a')
  held.add(2, layoutOf(cat, 'y'), everything, 1, 'acc_a')
  held.add(3, layoutOf(cat, 'z'), everything, 1, 'acc_b')
  await follow(held, 6)
  expect(held.loop.stats().encodedPictures).toBe(2)
})

test('where accounts share what is cached, they share encodings too', async () => {
  const held = startHeldLoop({ pictures, shareCache: true, imageCacheBytes: 1000 })
  held.add(1, layoutOf(cat, 'x'), everything, 1, 'acc_a')
  held.add(2, layoutOf(cat, 'y'), everything, 1, 'acc_b')
  await follow(held, 4)
  expect(held.loop.stats().encodedPictures).toBe(1)
})

test('what was made of a picture is held until it is decoded, and no longer unless it is cached', async () => {
  const held = startHeldLoop({ pictures, sequences: 1 })
  held.add(1, layoutOf(cat, 'x'), lastOf(2), 2)
  expect(await follow(held, 6)).toEqual(['encoding', 'pictures', 'tokens', 'encoding', 'pictures', 'tokens'])
})

test('a picture that has other parts than its prompt has places for is refused', async () => {
  const held = startHeldLoop({ pictures })
  held.add(1, layoutOf({ ...cat, entries: 5 }, 'x'))
  await held.settle()
  expect(held.told(1).at(-1)).toMatchObject({ error: { code: 'invalid_image', param: 'picture 0' } })
  expect(held.ready()).toEqual([])
})

test('the first event waits until all pictures are encoded', async () => {
  const held = startHeldLoop({ pictures })
  held.add(1, layoutOf('a', cat, 'b', dog, 'c'))
  await held.goOn()
  await held.endEncoding()
  await held.goOn(2)
  expect([held.doing(), held.told(1).some(isStart)]).toEqual(['encoding', false])
  await held.endEncoding(1)
  await held.goOn()
  expect(held.told(1).some(isStart)).toBe(true)
})

test('what cannot be decoded fails its request alone, by its place, and is not tried again', async () => {
  const held = startHeldLoop({ pictures, sequences: 3 })
  held.add(1, layoutOf('a', { name: 'broken', entries: 4 }, 'b'), everything, 2)
  held.add(2, layoutOf('a', cat, 'b'))
  await follow(held, 8)
  expect(held.told(1).at(-1)).toMatchObject({ error: { code: 'invalid_image', param: 'picture 0' } })
  expect(held.told(1).some(isStart)).toBe(false)
  expect(held.textTokens(2)).toBeGreaterThan(0)
  expect(held.decodings).toEqual(['broken', 'cat'])
  held.loop.cancel(2)
  await held.goOn()
  expect(held.loop.stats()).toMatchObject({ running: 0, waiting: 0 })
})

test('a request says which pictures are decoded or encoded before they are, and when that is over', async () => {
  const held = startHeldLoop({ pictures })
  held.add(1, layoutOf(cat, 'x'))
  expect(held.told(1)).toEqual([{ id: 1, encoding: ['cat'] }])
  await held.endEncoding()
  const hashes = held.told(1).flatMap((item) => ('encoding' in item ? [item.encoding] : []))
  expect(hashes).toEqual([['cat'], [], ['cat'], []])
})

test('a request that is cancelled while it is encoded ends with the encoding; what was made is kept', async () => {
  const held = startHeldLoop({ pictures, imageCacheBytes: 1000 })
  held.add(1, layoutOf('ab', cat, 'x'), everything, 1, 'acc_a')
  await held.goOn()
  expect(held.doing()).toBe('encoding')
  held.loop.cancel(1)
  await held.endEncoding()
  expect(held.told(1).at(-1)).toMatchObject({ cancelled: { promptTokens: 2 } })
  expect(held.doing()).toBe('nothing')
  held.add(2, layoutOf('ab', cat, 'x'), everything, 1, 'acc_a')
  expect(await follow(held, 3)).toEqual(['tokens', 'pictures', 'tokens'])
})

test('what is encoded of a prompt is what is not cached, wherever it stands', async () => {
  const held = startHeldLoop({ pictures, imageCacheBytes: 1000 })
  held.add(1, layoutOf(dog, 'x'), everything, 1, 'acc_a')
  await follow(held, 3)
  held.add(2, layoutOf(cat, dog, 'y'), everything, 1, 'acc_a')
  held.loop.cancel(1)
  await held.goOn()
  expect(held.encodings[1]?.pictures).toEqual(['cat'])
  await held.endEncoding()
  expect(held.told(2).some(isStart)).toBe(true)
})

test('a picture that an earlier process may have died over is encoded alone', async () => {
  for (const order of [
    [dog, cat],
    [cat, dog],
  ]) {
    const held = startHeldLoop({ pictures, suspects: ['cat'] })
    held.add(1, layoutOf(...order, 'x'))
    await follow(held, 5)
    expect(held.encodings.map(({ pictures }) => pictures)).toEqual(order.map(({ name }) => [name]))
  }
})

test('pictures that are decoded alone take turns beside a running answer', async () => {
  const held = startHeldLoop({
    pictures: { ...pictures, isNonCausal: true },
    sequences: 3,
    batchTokens: 10,
    imageCacheBytes: 10_000,
  })
  for (const accountId of ['acc_a', 'acc_b']) {
    held.add(1, layoutOf(cat, dog, 'x'), everything, 1, accountId)
    await held.endEncoding(2)
    held.loop.cancel(1)
    await held.goOn()
  }
  held.add(9, [10])
  await held.goOn()
  held.add(1, layoutOf(cat, 'a', dog, 'b', cat, 'c'), everything, 1, 'acc_a')
  held.add(2, layoutOf(cat, 'a', dog, 'b', cat, 'c'), everything, 1, 'acc_b')
  const before = held.steps.length
  await follow(held, 10)
  const alone = held.steps.slice(before).filter(({ batch }) => batch.isCausal === false)
  expect(alone.slice(0, 4).map(({ batch }) => batch.sequences[0])).toEqual([1, 2, 1, 2])
})

test('entries that see each other are decoded alone and whole, in turn', async () => {
  const held = startHeldLoop({ pictures: { ...pictures, isNonCausal: true }, batchTokens: 10 })
  held.add(1, layoutOf(cat, 'x'))
  held.add(2, layoutOf(dog, 'y'))
  await held.endEncoding(2)
  expect(held.steps[0]?.batch).toMatchObject({ isCausal: false, sequences: new Int32Array(8).fill(0) })
  await held.goOn(2)
  expect(held.steps.filter(({ batch }) => batch.isCausal === false).map(({ batch }) => batch.sequences.length)).toEqual(
    [8],
  )
  await follow(held, 3)
  const alone = held.steps.filter(({ batch }) => batch.isCausal === false)
  expect(alone.flatMap(({ batch }) => [...new Set(batch.sequences)]).toSorted()).toEqual([0, 1])
})
