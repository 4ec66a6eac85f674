import { expect, test } from 'bun:test'
import type { DocumentPage } from './document-pages.ts'
import { KeptPages, keptPagesDefaults } from './kept-pages.ts'

/** Bytes of one page. */
const size = 1_000
/** Returns room for two pages a document, four in all. */
const keptPages = () => new KeptPages({ ...keptPagesDefaults, bytesPerDocument: 2 * size, bytes: 4 * size })

/** Returns pages of `size` bytes: half a kilobyte besides the text, and two bytes per character. */
function pages(count: number): DocumentPage[] {
  return Array.from({ length: count }, () => ({ text: 'x'.repeat((size - 512) / 2) }))
}

async function* yielding(all: readonly DocumentPage[], error?: Error): AsyncGenerator<DocumentPage> {
  yield* all
  if (error !== undefined) throw error
}

/** Reads a document of so many pages to its end. Returns the pages that came. */
async function read(kept: KeptPages, key: string, count: number, account = 'a'): Promise<DocumentPage[]> {
  return await Array.fromAsync(kept.keeping(key, account, yielding(pages(count))))
}

test('pages come as they are read, and are found by their key', async () => {
  const kept = keptPages()
  expect(await read(kept, 'a', 2)).toEqual(pages(2))
  expect(kept.find('a')).toEqual(pages(2))
  expect(kept.find('b')).toBeUndefined()
})

test('a document that is too long, not read to its end or unreadable is not kept', async () => {
  const kept = keptPages()
  expect(await read(kept, 'long', 3)).toHaveLength(3)
  for await (const _ of kept.keeping('left', 'a', yielding(pages(2)))) break
  const failing = kept.keeping('broken', 'a', yielding(pages(1), new Error('damaged')))
  await expect(Array.fromAsync(failing)).rejects.toThrow('damaged')
  expect(['long', 'left', 'broken'].map((key) => kept.find(key))).toEqual([undefined, undefined, undefined])
})

test('an account with many documents loses its own before those of others', async () => {
  const kept = keptPages()
  await read(kept, 'a', 1, 'one')
  for (const key of ['b', 'c', 'd', 'e', 'f']) await read(kept, key, 1, 'two')
  expect(['a', 'b', 'c', 'd', 'e', 'f'].filter((key) => kept.find(key) !== undefined)).toEqual(['a', 'd', 'e', 'f'])
  await read(kept, 'g', 2, 'one')
  expect(['a', 'd', 'e', 'f', 'g'].filter((key) => kept.find(key) !== undefined)).toEqual(['e', 'f', 'g'])
})
