import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { markedWord, searchFolders } from './canary/marked-words.ts'
import { searchAfterRequests } from './canary/search-after.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-marks-'))
afterAll(() => rmSync(folder, { recursive: true }))

const word = markedWord()
test.each([
  ['plain', Buffer.from(`a ${word} b`)],
  ['UTF-16', Buffer.from(word, 'utf16le')],
  ['UTF-16, big end first', Buffer.from(word, 'utf16le').swap16()],
  ...['', 'a', 'ab'].map(
    (before) => [`base64 after "${before}"`, Buffer.from(Buffer.from(`${before}${word}`).toString('base64'))] as const,
  ),
  ['gzip', gzipSync(word)],
  ['zstd', zstdCompressSync(Buffer.from(word))],
  ['zlib', deflateSync(word)],
])('a marked word is found: %s', (name, bytes) => {
  const path = join(folder, name.replaceAll(/\W/g, ''))
  writeFileSync(path, bytes)
  expect(searchFolders([folder]).hits.map((hit) => hit.path)).toEqual([path])
  rmSync(path)
})

test('prompts and answers are never stored: no byte of any request is left after all kinds of them and a crash', async () => {
  const { hits, spooled, requests } = await searchAfterRequests({ rounds: 1, asksStarters: false })
  expect(hits).toEqual([])
  expect(spooled).toBeGreaterThan(0) // what is searched for would be found
  const served = Object.keys(requests).filter((name) => name.endsWith(': 200'))
  expect(served.length).toBeGreaterThan(35)
}, 60_000)
