import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import type { ImagePart } from '../../../core/content.ts'
import { chatRequest } from '../../../testing/chat-request.ts'
import { readPictureUrls } from './picture-urls.ts'

/** Pixels in file order, three columns and two rows. Each letter is one pixel. */
const inFile = ['abc', 'def']

/** Upright picture for each orientation. */
const upright: Readonly<Record<number, readonly string[]>> = {
  1: ['abc', 'def'],
  2: ['cba', 'fed'],
  3: ['fed', 'cba'],
  4: ['def', 'abc'],
  5: ['ad', 'be', 'cf'],
  6: ['da', 'eb', 'fc'],
  7: ['fc', 'eb', 'da'],
  8: ['cf', 'be', 'ad'],
}

async function sentRows(orientation: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-picture-'))
  const path = join(folder, 'picture')
  writeFileSync(path, `P6\n3 2\n255\n${[...inFile.join('')].map((letter) => letter.repeat(3)).join('')}`)
  const size = { width: 3, height: 2, orientation }
  const picture: ImagePart = { type: 'image', hash: 'h', path, detail: 'auto', param: 'p', ...size }
  const url = (await readPictureUrls(chatRequest({ messages: [{ role: 'user', content: [picture] }] })))(picture)
  rmSync(folder, { recursive: true })
  const png = Buffer.from(url.replace('data:image/png;base64,', ''), 'base64')
  const width = png.readUInt32BE(16)
  const data = png.subarray(41, 41 + png.readUInt32BE(33))
  const rows = inflateSync(data).toString('latin1')
  return Array.from({ length: png.readUInt32BE(20) }, (_, row) =>
    rows.slice(row * (width * 3 + 1) + 1, (row + 1) * (width * 3 + 1)).replaceAll(/(.)\1\1/g, '$1'),
  )
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])('a decoded picture of orientation %d is sent upright', async (orientation) => {
  expect(await sentRows(orientation)).toEqual(upright[orientation] ?? [])
})
