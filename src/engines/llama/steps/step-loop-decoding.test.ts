/** Decoding of pictures beside the steps; the test ends each decoding, step and encoding. */
import { expect, test } from 'bun:test'
import { everything, type HeldLoopOptions, startHeldLoop } from '../../../testing/held-loop.ts'
import { layoutOf } from '../../../testing/prompt-layouts.ts'
import { readyBytes } from '../../../testing/scripted-projector.ts'

const names = ['cat', 'dog', 'map', 'hat']
const [cat, dog, map, hat] = names.map((name) => ({ name, entries: 4 })) as [Laid, Laid, Laid, Laid]
type Laid = { readonly name: string; readonly entries: number }
const broken = { name: 'broken', entries: 4 }

function start(options: HeldLoopOptions = {}) {
  return startHeldLoop({ pictures: { pictures: [cat, dog, map, hat] }, holdsDecoding: true, sequences: 4, ...options })
}

test('other answers go on while a picture is decoded, and wait for its encoding alone', async () => {
  const held = start()
  held.add(1, [10])
  await held.goOn()
  held.add(2, layoutOf(cat, 'x'))
  await held.goOn(5)
  expect([held.isDecoding(), held.doing(), held.textTokens(1)]).toEqual([true, 'tokens', 6])
  await held.endDecoding()
  await held.goOn()
  expect(held.doing()).toBe('encoding')
})

test('a request that comes while nothing but a decoding goes on does not wait for it', async () => {
  const held = start()
  held.add(1, layoutOf(cat, 'x'))
  await held.settle()
  expect(held.doing()).toBe('nothing')
  held.add(2, [10])
  await held.goOn(3)
  expect([held.isDecoding(), held.textTokens(2)]).toEqual([true, 3])
})

test('the next picture is decoded while the one before is encoded', async () => {
  const held = start()
  held.add(1, layoutOf(cat, 'x'))
  held.add(2, layoutOf(dog, 'y'))
  await held.endDecoding()
  expect([held.doing(), held.isDecoding()]).toEqual(['encoding', true])
  await held.endDecoding()
  expect([held.encodings.length, held.ready()]).toEqual([1, ['cat', 'dog']])
  await held.endEncoding()
  expect([held.doing(), held.ready()]).toEqual(['pictures', ['dog']])
})

test('a damaged picture is found before any other of its request is encoded', async () => {
  const held = start()
  held.add(1, layoutOf(cat, dog, map, broken, 'x'))
  for (let picture = 0; picture < 4; picture++) await held.endDecoding()
  expect(held.told(1).at(-1)).toMatchObject({ error: { code: 'invalid_image', param: 'picture 3' } })
  expect([held.encodings, held.ready()]).toEqual([[], []])
})

test('no more pictures are decoded than there is room for', async () => {
  const held = start({ preparedBytes: 2 * readyBytes })
  held.add(1, layoutOf(cat, dog, map, hat, 'x'))
  await held.endDecoding()
  await held.endDecoding()
  expect([held.isDecoding(), held.doing(), held.ready()]).toEqual([false, 'encoding', ['cat', 'dog']])
  await held.endEncoding()
  expect([held.isDecoding(), held.ready()]).toEqual([true, ['dog']])
})

test('a picture that another prompt needs next is decoded though there is no room', async () => {
  const held = start({ preparedBytes: 1 })
  held.add(1, layoutOf('ab', cat, dog, 'x'))
  await held.endDecoding()
  await held.goOn()
  expect([held.doing(), held.isDecoding()]).toEqual(['encoding', false])
  await held.endEncoding()
  expect([held.ready(), held.isDecoding()]).toEqual([[], true])
})

test('a request that is cancelled while a picture is decoded ends with that, and leaves nothing', async () => {
  const held = start()
  held.add(1, layoutOf(cat, dog, map, 'x'))
  await held.endDecoding()
  held.loop.cancel(1)
  held.add(2, [10])
  await held.goOn(2)
  // Until then the file must stay, and may still crash the process.
  expect(held.told(1).at(-1)).toEqual({ id: 1, encoding: ['dog'] })
  expect([held.isDecoding(), held.ready(), held.textTokens(2)]).toEqual([true, [], 2])
  await held.endDecoding()
  await held.goOn()
  expect(held.told(1).at(-1)).toMatchObject({ cancelled: { promptTokens: 0 } })
  expect([held.decodings, held.ready(), held.isDecoding()]).toEqual([['cat', 'dog'], [], false])
  held.loop.cancel(2)
  await held.goOn()
  expect(held.loop.stats()).toMatchObject({ running: 0, waiting: 0, encodedPictures: 0 })
})

test('behind a damaged picture no other of its request is decoded', async () => {
  const held = start()
  held.add(1, layoutOf(broken, cat, 'x'), everything, 1, 'acc_a')
  held.add(2, layoutOf(broken, dog, 'x'), everything, 1, 'acc_a')
  await held.endDecoding()
  for (const id of [1, 2]) expect(held.told(id).at(-1)).toMatchObject({ error: { code: 'invalid_image' } })
  expect(held.decodings).toEqual(['broken'])
})

test('accounts take turns: the second picture of one is decoded after the first one of another', async () => {
  const held = start()
  held.add(1, layoutOf(cat, dog, 'x'), everything, 1, 'acc_a')
  held.add(2, layoutOf(map, hat, 'y'), everything, 1, 'acc_b')
  for (let picture = 0; picture < 4; picture++) await held.endDecoding()
  expect(held.decodings).toEqual(['cat', 'map', 'dog', 'hat'])
})

test('beside a picture that an earlier process may have died over none is decoded or encoded', async () => {
  const held = start({ suspects: ['dog'] })
  held.add(1, layoutOf(cat, 'x'), everything, 1, 'acc_a')
  await held.endDecoding()
  held.add(2, layoutOf(dog, 'y'), everything, 1, 'acc_b')
  held.add(3, layoutOf(map, 'z'), everything, 1, 'acc_c')
  expect([held.doing(), held.isDecoding()]).toEqual(['encoding', false])
  await held.endEncoding()
  // The suspect is decoded alone, then encoded alone, and the third picture comes after it.
  expect([held.isDecoding(), held.decodings]).toEqual([true, ['cat', 'dog']])
  await held.endDecoding()
  while (held.doing() === 'pictures' || held.doing() === 'tokens') await held.goOn()
  expect([held.doing(), held.isDecoding(), held.encodings[1]?.pictures]).toEqual(['encoding', false, ['dog']])
  await held.endEncoding()
  expect(held.decodings).toEqual(['cat', 'dog', 'map'])
})
