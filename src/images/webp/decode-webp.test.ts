import { expect, test } from 'bun:test'
import { pictureFixtures } from '../../testing/picture-fixtures.ts'
import { Unreadable } from '../unreadable.ts'
import { decodeWebp } from './decode-webp.ts'
import { toPpm } from './to-ppm.ts'

const never = new AbortController().signal
const quarters = [
  [220, 30, 30],
  [30, 180, 60],
  [40, 60, 210],
  [240, 220, 40],
] as const

function fixture(name: string): Uint8Array<ArrayBuffer> {
  const found = pictureFixtures().find((each) => each.name === name)
  return new Uint8Array(found?.bytes ?? [])
}

async function decode(bytes: Uint8Array<ArrayBuffer>, canvas = { width: 48, height: 32 }) {
  const ppm = Buffer.from(await decodeWebp(bytes, { ...canvas, signal: never }))
  const head = `P6\n${canvas.width} ${canvas.height}\n255\n`
  expect(ppm.toString('latin1', 0, head.length)).toBe(head)
  expect(ppm).toHaveLength(head.length + canvas.width * canvas.height * 3)
  return (x: number, y: number) => [...ppm.subarray(head.length + (y * canvas.width + x) * 3).subarray(0, 3)]
}

function distance(first: readonly number[], second: readonly number[]): number {
  return Math.max(...first.map((value, index) => Math.abs(value - (second[index] ?? 0))))
}

test.each(['lossless.webp', 'lossy.webp', 'animated.webp'])('%s shows what it should, upright', async (name) => {
  const pixelAt = await decode(fixture(name))
  const seen = [pixelAt(12, 8), pixelAt(36, 8), pixelAt(12, 24), pixelAt(36, 24)]
  for (const [index, colour] of quarters.entries()) expect(distance(seen[index] ?? [], colour)).toBeLessThan(12)
})

test('a picture that lies on its side is decoded as it lies', async () => {
  const pixelAt = await decode(fixture('rotated.webp'), { width: 32, height: 48 })
  expect(pixelAt(8, 12)).toEqual([...quarters[1]])
})

test('what is seen through is over white', async () => {
  const pixelAt = await decode(fixture('alpha.webp'))
  const grey = Math.round(0.299 * 220 + 0.587 * 30 + 0.114 * 30) // how opaque the red quarter is
  const expected = quarters[0].map((value) => 255 - ((255 - value) * grey) / 255)
  expect(distance(pixelAt(12, 8), expected)).toBeLessThan(12)
})

test('a frame that is smaller than its canvas lies where it says, and what reaches beyond is left out', () => {
  const rgba = new Uint8Array(16).fill(0).map((_, index) => (index % 4 === 3 ? 255 : 0))
  const ppm = toPpm({ width: 2, height: 2, left: 2, top: 1, rgba }, { width: 3, height: 2 })
  const white = Array(9).fill(255)
  expect([...ppm.subarray(-18)]).toEqual([...white, 255, 255, 255, 255, 255, 255, 0, 0, 0])
  expect([...toPpm({ width: 2, height: 2, left: 9, top: 9, rgba }, { width: 1, height: 1 })].slice(-3)).toEqual([
    255, 255, 255,
  ])
})

test('a frame that is larger than its canvas is refused before it is decoded', async () => {
  const bytes = fixture('animated.webp')
  const frame = Buffer.from(bytes.buffer).indexOf('ANMF') + 8
  new DataView(bytes.buffer).setUint16(frame + 6, 12_000, true)
  const decoding = decodeWebp(bytes, { width: 48, height: 32, signal: never })
  await expect(decoding).rejects.toThrow('outside of the canvas')
})

test.each(['lossless.webp', 'lossy.webp', 'animated.webp', 'alpha.webp'])(
  '%s in parts or damaged is refused or decoded',
  async (name) => {
    const whole = fixture(name)
    const half = whole.slice(0, 60)
    const outcome = await decodeWebp(half, { width: 48, height: 32, signal: never }).then(
      () => 'decoded',
      (error: unknown) => error,
    )
    expect(outcome).toBeInstanceOf(Unreadable)
    const damaged = whole.map((byte, index) => (index > 40 && index % 7 === 0 ? byte ^ 0x55 : byte))
    const other = await decodeWebp(damaged, { width: 48, height: 32, signal: never }).catch((error: unknown) => error)
    expect(other instanceof Unreadable || other instanceof Uint8Array).toBe(true)
  },
)

test('a client that leaves is not waited for', async () => {
  const controller = new AbortController()
  const decoding = decodeWebp(fixture('lossy.webp'), { width: 48, height: 32, signal: controller.signal })
  controller.abort(new Error('gone'))
  await expect(decoding).rejects.toThrow('gone')
  await expect(decodeWebp(fixture('lossy.webp'), { width: 48, height: 32, signal: controller.signal })).rejects.toThrow(
    'gone',
  )
})
