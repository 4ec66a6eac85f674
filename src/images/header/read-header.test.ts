import { describe, expect, test } from 'bun:test'
import { pictureFixtures } from '../../testing/picture-fixtures.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import { Unreadable } from '../unreadable.ts'
import { readHeader } from './read-header.ts'

const formatNames: Readonly<Record<string, string>> = { png: 'PNG', jpg: 'JPEG', gif: 'GIF', bmp: 'BMP', webp: 'WebP' }

const fixtures = new Map(pictureFixtures().map(({ name, bytes }) => [name, bytes]))
function fixture(name: string): Buffer {
  return Buffer.from(fixtures.get(name) ?? '')
}

function problemOf(bytes: Uint8Array): string {
  try {
    return `no problem: ${JSON.stringify(readHeader(bytes))}`
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    throw error
  }
}

const upright = { width: 48, height: 32, orientation: 1 }
const lying = { width: 32, height: 48, orientation: 6 }

test.each(pictureFixtures())('the size of $name is read, and how it lies', ({ name, format, bytes }) => {
  const size = name.startsWith('rotated') ? lying : upright
  expect(readHeader(bytes)).toEqual({ format: formatNames[format] ?? '', ...size })
})

test('a picture of one pixel is a picture', () => {
  expect(readHeader(toPng(paint(1, 1, () => [1, 2, 3])))).toMatchObject({ width: 1, height: 1 })
})

test.each(pictureFixtures())('$name that is cut short or damaged anywhere is read or refused', ({ bytes }) => {
  for (let length = 0; length < Math.min(bytes.length, 200); length++) problemOf(bytes.subarray(0, length))
  for (let at = 0; at < Math.min(bytes.length, 200); at++) {
    for (const value of [0, 0x7f, 0xff]) {
      const damaged = Buffer.from(bytes)
      damaged[at] = value
      problemOf(damaged)
    }
  }
})

function withBytes(name: string, offset: number, bytes: readonly number[]): Buffer {
  const changed = fixture(name)
  changed.set(bytes, offset)
  return changed
}

const lengthsOfHeaders = { 'rgb.png': 24, 'rgb.jpg': 100, 'still.gif': 9, 'rgb.bmp': 25, 'lossy.webp': 28 }

describe('headers', () => {
  test.each(Object.entries(lengthsOfHeaders))('of %s cut after %i bytes', (name, length) => {
    expect(problemOf(fixture(name).subarray(0, length))).toMatch(/ header is cut short$/)
  })

  test.each([
    ['a PNG with no width', withBytes('rgb.png', 16, [0, 0, 0, 0]), 'its PNG header says that it has no pixels'],
    ['a PNG of 7 bits', withBytes('rgb.png', 24, [7]), 'its PNG header is damaged'],
    ['a PNG of colour 9', withBytes('rgb.png', 25, [9]), 'its PNG header is damaged'],
    ['a PNG that begins with pixels', withBytes('rgb.png', 12, [73, 68, 65, 84]), 'its PNG header is damaged'],
    ['a GIF with no height', withBytes('still.gif', 8, [0, 0]), 'its GIF header says that it has no pixels'],
    [
      'a BMP of negative width',
      withBytes('rgb.bmp', 18, [0xff, 0xff, 0xff, 0xff]),
      'its BMP header says that it has no pixels',
    ],
    ['a BMP of an unknown header', withBytes('rgb.bmp', 14, [41]), 'its BMP header is damaged'],
    ['a JPEG of tables alone', Buffer.from('ffd8ffdb000400ffffd9', 'hex'), 'its JPEG header does not say its size'],
    ['a JPEG between markers', Buffer.from('ffd8ffdb000400ff12340000', 'hex'), 'its JPEG header is damaged'],
    ['a WebP of an unknown chunk', withBytes('lossy.webp', 12, [65, 65, 65, 65]), 'its WebP header is damaged'],
    ['a WebP without its start code', withBytes('lossy.webp', 23, [0]), 'its WebP header is damaged'],
    ['a lossless WebP without its signature', withBytes('lossless.webp', 20, [0]), 'its WebP header is damaged'],
  ])('%s', (_name, bytes, problem) => {
    expect(problemOf(bytes)).toBe(problem)
  })

  test('a BMP whose rows go from top to bottom has a height', () => {
    expect(readHeader(withBytes('rgb.bmp', 22, [0xe0, 0xff, 0xff, 0xff]))).toMatchObject({ height: 32 })
  })
})

test.each([
  ['HEIC', '\0\0\0\x18ftypheic\0\0\0\0'],
  ['AVIF', '\0\0\0\x1cftypavif\0\0\0\0'],
  ['TIFF', 'II*\0\x08\0\0\0'],
  ['TIFF', 'MM\0*\0\0\0\x08'],
  ['PDF', '%PDF-1.7\n'],
  ['JPEG XL', '\xff\x0a\xfa\x1f'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['SVG', '\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a -->\n<svg width="1">'],
  ['HTML', '<!DOCTYPE html><html>'],
])('%s is named in the refusal', (name, text) => {
  expect(problemOf(Buffer.from(text, 'latin1'))).toBe(`it is a file of the format ${name}`)
})

test.each(['', 'not a picture', '\0'.repeat(64), 'BA'])('%j is no picture', (text) => {
  expect(problemOf(Buffer.from(text, 'latin1'))).toBe(
    text === '' ? 'it is empty' : 'it is no picture of a known format',
  )
})

test('a file of empty parts takes no time', () => {
  const segments = Buffer.from(`ffd8${'ffe00002'.repeat(500_000)}`, 'hex')
  const chunks = Buffer.concat([fixture('rotated.webp').subarray(0, 30), Buffer.from('AAAA\0\0\0\0'.repeat(500_000))])
  const beganAtMs = performance.now()
  expect(problemOf(segments)).toBe('its JPEG header does not say its size')
  expect(readHeader(chunks)).toMatchObject({ orientation: 1 })
  expect(performance.now() - beganAtMs).toBeLessThan(1000)
})
