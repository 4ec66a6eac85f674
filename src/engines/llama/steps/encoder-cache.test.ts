import { expect, test } from 'bun:test'
import { type EncodedPicture, EncoderCache } from './encoder-cache.ts'

/** Makes a picture with 8 bytes per entry. */
function picture(entries: number): EncodedPicture {
  return [{ embeddings: new Float32Array(entries), positions: new Int32Array(entries) }]
}

test('the least recently used pictures go when others need their room', () => {
  const cache = new EncoderCache(240)
  for (const key of ['a', 'b', 'c']) cache.add(key, picture(10))
  const kept = cache.get('a')
  cache.add('d', picture(10))
  expect([cache.get('b'), cache.get('a')]).toEqual([undefined, kept])
  cache.add('a', picture(20))
  expect([cache.get('c'), cache.get('d')?.length, cache.get('a')?.[0]?.embeddings.length]).toEqual([undefined, 1, 20])
})

test('a picture that does not fit at all pushes none out', () => {
  const cache = new EncoderCache(100)
  cache.add('small', picture(10))
  cache.add('large', picture(13))
  expect([cache.get('small')?.length, cache.get('large')]).toEqual([1, undefined])
  const none = new EncoderCache(0)
  none.add('small', picture(1))
  expect(none.get('small')).toBeUndefined()
})
