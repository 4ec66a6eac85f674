/** Conversion of files to pixels: each file's encoding is compared with that of the same pixels in a plain PNG. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { encodePicture } from '../../testing/encode-picture.ts'
import { writeModel } from '../../testing/gguf/model-file.ts'
import { visionModel } from '../../testing/gguf/vision-models.ts'
import { openTestAddon } from '../../testing/native-options.ts'
import { pictureFixtures } from '../../testing/picture-fixtures.ts'
import { chunk, type Pixels, paint, toPng } from '../../testing/pictures.ts'
import type { NativeModel } from './native.ts'
import type { NativeImageSize, NativeProjector } from './native-projector.ts'
import { loadOptions, onCpu } from './placement.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-pictures-'))
const fixtures = new Map(pictureFixtures().map(({ name, bytes }) => [name, bytes]))
const fixtureSize = { width: 48, height: 32 }

let model: NativeModel
let projector: NativeProjector

beforeAll(async () => {
  const addon = await openTestAddon()
  const plans = visionModel('janus_pro')
  const [modelPath, path] = [join(folder, 'model.gguf'), join(folder, 'mmproj.gguf')]
  await writeModel(plans.model, modelPath)
  await writeModel(plans.projector, path)
  model = await addon.loadModel(loadOptions(modelPath, onCpu))
  const options = { path, model, device: undefined, threads: 1, imageTokens: 0, flashAttention: 'auto' } as const
  projector = await addon.loadProjector(options)
})

afterAll(async () => {
  await projector.close()
  model.close()
  rmSync(folder, { recursive: true })
})

/** Returns the encoding of a file, or the reason for its refusal. */
async function seen(
  bytes: Uint8Array,
  size: NativeImageSize = fixtureSize,
  orientation = 1,
): Promise<Float32Array | string> {
  const path = join(folder, 'picture')
  writeFileSync(path, bytes)
  const { width, height } = size
  const encoded = await encodePicture(projector, { path, orientation, size: { width, height } })
  return typeof encoded === 'string' ? encoded : (encoded[0]?.embeddings ?? new Float32Array())
}

function fixture(name: string): Buffer {
  const bytes = fixtures.get(name)
  if (bytes === undefined) throw new Error(`there is no fixture ${name}`)
  return bytes
}

/** Returns the root of the mean square of the differences. */
function distance(one: Float32Array | string, other: Float32Array | string): number {
  if (typeof one === 'string' || typeof other === 'string') throw new Error(`not encoded: ${one}, ${other}`)
  return Math.sqrt(one.reduce((sum, value, i) => sum + (value - (other[i] ?? 0)) ** 2, 0) / one.length)
}

/** Picture that all fixtures show. */
const quarters = paint(fixtureSize.width, fixtureSize.height, (x, y) => {
  if (y < 16) return x < 24 ? [220, 30, 30] : [30, 180, 60]
  return x < 24 ? [40, 60, 210] : [240, 220, 40]
})

const black = paint(fixtureSize.width, fixtureSize.height, () => [0, 0, 0])

describe('formats', () => {
  const exact = ['rgb.png', 'rgb-16-bits.png', 'interlaced.png', 'palette.png', 'rgb.bmp', 'palette.bmp', 'still.gif']
  test.each([...exact, 'interlaced.gif', 'animated.gif'])('%s', async (name) => {
    expect(await seen(fixture(name))).toEqual(await seen(toPng(quarters)))
  })

  test.each(['rgb.jpg', 'progressive.jpg', 'cmyk.jpg'])('%s is nearly the same', async (name) => {
    const wanted = await seen(toPng(quarters))
    expect(distance(await seen(fixture(name)), wanted)).toBeLessThan(distance(await seen(toPng(black)), wanted) / 5)
  })

  test.each(['grey.jpg', 'grey-16-bits.png', '1-bit.png'])('%s is decoded', async (name) => {
    expect(await seen(fixture(name))).toBeInstanceOf(Float32Array)
  })

  test('PPM and PGM', async () => {
    const header = (kind: string) => Buffer.from(`${kind}\n48 32\n255\n`)
    expect(await seen(Buffer.concat([header('P6'), quarters.rgb]))).toEqual(await seen(toPng(quarters)))
    const grey = paint(48, 32, (x, y) => [x + y, x + y, x + y])
    const levels = grey.rgb.filter((_, i) => i % 3 === 0)
    expect(await seen(Buffer.concat([header('P5'), levels]))).toEqual(await seen(toPng(grey)))
  })

  test('what is transparent lets white through', async () => {
    const luma = (r: number, g: number, b: number) => (19595 * r + 38470 * g + 7471 * b + 32768) >> 16
    const over = (value: number, alpha: number) => Math.floor((value * alpha + 255 * (255 - alpha) + 127) / 255)
    const wanted = paint(48, 32, (x, y) => {
      const [r = 0, g = 0, b = 0] = quarters.rgb.slice((y * 48 + x) * 3, (y * 48 + x) * 3 + 3)
      const alpha = luma(r, g, b)
      return [over(r, alpha), over(g, alpha), over(b, alpha)]
    })
    expect(await seen(fixture('alpha.png'))).toEqual(await seen(toPng(wanted)))
    expect(await seen(fixture('alpha.bmp'))).toEqual(await seen(toPng(wanted)))
  })
})

describe('orientation', () => {
  const picture = paint(30, 20, (x, y) => [8 * x, 12 * y, 4 * (x + y)])
  /** Source of each stored pixel, by EXIF's orientation. */
  const stored: readonly ((x: number, y: number, width: number, height: number) => readonly [number, number])[] = [
    (x, y) => [x, y],
    (x, y, width) => [width - 1 - x, y],
    (x, y, width, height) => [width - 1 - x, height - 1 - y],
    (x, y, _, height) => [x, height - 1 - y],
    (x, y) => [y, x],
    // Orientation in which the first row is the right side and the first column the top.
    (x, y, width) => [width - 1 - y, x],
    (x, y, width, height) => [width - 1 - y, height - 1 - x],
    (x, y, _, height) => [y, height - 1 - x],
  ]

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('%d is turned upright', async (orientation) => {
    const { width, height } = picture
    const from = stored[orientation - 1]
    if (from === undefined) throw new Error('there are eight')
    const [storedWidth, storedHeight] = orientation < 5 ? [width, height] : [height, width]
    const turned = paint(storedWidth, storedHeight, (x, y) => {
      const [sourceX, sourceY] = from(x, y, width, height)
      const [r = 0, g = 0, b = 0] = picture.rgb.slice((sourceY * width + sourceX) * 3)
      return [r, g, b]
    })
    expect(await seen(toPng(turned), picture, orientation)).toEqual(await seen(toPng(picture), picture))
  })

  test('of a JPEG', async () => {
    const wanted = await seen(fixture('rgb.jpg'))
    const turned = await seen(fixture('rotated.jpg'), fixtureSize, 6)
    expect(distance(turned, wanted)).toBeLessThan(distance(await seen(toPng(black)), wanted) / 20)
  })
})

describe('shrinking', () => {
  const blocks = (side: number): Pixels =>
    paint(24 * side, 16 * side, (x, y) => [10 * Math.floor(x / side), y >= 8 * side ? 200 : 20, 7])

  test('averages what each new pixel covers', async () => {
    expect(await seen(toPng(blocks(3)), blocks(1))).toEqual(await seen(toPng(blocks(1)), blocks(1)))
    const checks = paint(48, 32, (x, y) => ((x + y) % 2 === 0 ? [0, 100, 255] : [200, 100, 0]))
    const mean = paint(24, 16, () => [100, 100, 128])
    expect(await seen(toPng(checks), mean)).toEqual(await seen(toPng(mean), mean))
  })

  test('by a ratio that is no whole number', async () => {
    const plain = (width: number, height: number) => paint(width, height, () => [10, 20, 30])
    expect(await seen(toPng(plain(50, 31)), { width: 33, height: 7 })).toEqual(
      await seen(toPng(plain(33, 7)), { width: 33, height: 7 }),
    )
  })

  test('comes before turning', async () => {
    const tall = paint(32, 48, (x, y) => [x, y, 0])
    expect(await seen(toPng(tall), { width: 24, height: 16 }, 6)).toBeInstanceOf(Float32Array)
  })

  test('never grows a picture', async () => {
    expect(await seen(toPng(black), { width: 49, height: 32 })).toBe(
      'the picture has 48x32 pixels, fewer than it should',
    )
  })
})

describe('a file that ends early is refused', () => {
  const names = [...fixtures.keys()].filter((name) => !name.endsWith('.webp') && !name.startsWith('animated'))
  test.each(names)('%s', async (name) => {
    const bytes = fixture(name)
    const size = { width: 1, height: 1 }
    for (const share of [0.3, 0.6, 0.9]) {
      expect(await seen(bytes.subarray(0, bytes.length * share), size)).toMatch(/^the picture('s header)? is damaged/)
    }
    expect(await seen(bytes, size)).toBeInstanceOf(Float32Array)
    expect(await seen(Buffer.concat([bytes, bytes]), size)).toBeInstanceOf(Float32Array)
  })
})

describe('hostile files', () => {
  const pngOf = (width: number, height: number, data: Buffer) => {
    const header = Buffer.alloc(13)
    header.writeUInt32BE(width, 0)
    header.writeUInt32BE(height, 4)
    header.set([8, 2], 8)
    const parts = [chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
  }

  test('a small picture that expands to much is refused', async () => {
    const bomb = pngOf(8, 8, deflateSync(Buffer.alloc(200_000_000)))
    const before = process.memoryUsage.rss()
    expect(await seen(bomb, { width: 8, height: 8 })).toBe('the picture is damaged: Out of memory')
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000)
  })

  test('a picture of too many pixels is refused by its header', async () => {
    const large = pngOf(40_000, 40_000, Buffer.alloc(0))
    expect(await seen(large, { width: 8, height: 8 })).toBe("the picture's header is damaged, or has too many pixels")
  })

  test('the bytes that begin a pass of a JPEG are pixels in other formats', async () => {
    const size = { width: 40, height: 40 }
    const pixels = Buffer.alloc(size.width * size.height * 3, Buffer.from([0xff, 0xda]))
    const ppm = Buffer.concat([Buffer.from('P6\n40 40\n255\n'), pixels])
    expect(await seen(ppm, size)).toEqual(await seen(toPng({ ...size, rgb: pixels }), size))
  })

  test('a progressive JPEG of thousands of passes is refused', async () => {
    const jpeg = fixture('progressive.jpg')
    const scan = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]))
    const scans = Array.from({ length: 200 }, () => jpeg.subarray(scan, -2))
    expect(await seen(Buffer.concat([jpeg.subarray(0, -2), ...scans, jpeg.subarray(-2)]))).toBe(
      'the picture has too many passes',
    )
  })

  test('other formats are refused, and files that only begin like a picture', async () => {
    const unknown = 'the file is no PNG, JPEG, GIF, BMP or PPM picture'
    expect(await seen(fixture('lossy.webp'))).toBe(unknown)
    expect(await seen(Buffer.alloc(0))).toBe(unknown)
    expect(await seen(Buffer.from('8BPS psd'))).toBe(unknown)
    expect(await seen(Buffer.from('BM this is a letter, not a bitmap'))).toBe(
      "the picture's header is damaged, or has too many pixels",
    )
  })

  test('a file that is gone', async () => {
    const gone = { path: join(folder, 'gone'), orientation: 1, size: fixtureSize }
    expect(await projector.prepare(gone)).toEqual({
      kind: 'undecodable',
      message: "the picture's file cannot be read: No such file or directory",
    })
  })
})
