/** Sends thousands of damaged pictures the whole way from a request to an engine's child. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '../core/errors.ts'
import { writeModel } from '../testing/gguf/model-file.ts'
import { randomProjector } from '../testing/gguf/random-projector.ts'
import { modelOfShape, proportionedShape } from '../testing/gguf/sized-shape.ts'
import { testImageLimits } from '../testing/image-limits.ts'
import { mutatedPictures } from '../testing/mutated-pictures.ts'
import { SeeingChild, type Seen } from '../testing/seeing-child.ts'
import { readHeader } from './header/read-header.ts'
import { requireWithin } from './image-limits.ts'
import { Unreadable } from './unreadable.ts'
import { firstFrame } from './webp/first-frame.ts'
import { type Libwebp, openLibwebp } from './webp/libwebp.ts'
import { type Canvas, toPpm } from './webp/to-ppm.ts'

type Outcome = Seen | 'refused'

const count = 2000
/** Fewer pixels than in production, which the decoders treat alike. */
const limits = { ...testImageLimits, megapixels: 2 }
const width = 64
const folder = mkdtempSync(join(tmpdir(), 'inferd-damaged-'))
const files = { model: join(folder, 'model.gguf'), projector: join(folder, 'projector.gguf') }
const picturePath = join(folder, 'picture')
const child = new SeeingChild(files)
let libwebp: Libwebp

beforeAll(async () => {
  const shape = { layers: 1, width, feedForward: width, heads: 2, imageSize: 32, patchSize: 16, embeddingSize: width }
  await writeModel(modelOfShape('qwen2', proportionedShape('tiny', width, 1)), files.model)
  await writeModel(randomProjector({ name: 'tiny', ...shape }, 1), files.projector)
  libwebp = await openLibwebp()
})

afterAll(async () => {
  await child[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

test.each(['png', 'jpg', 'gif', 'bmp', 'webp'])(
  `${count} damaged %s pictures are encoded or refused, and none ends the child`,
  async (format) => {
    const outcomes: { readonly picture: string; readonly outcome: Outcome }[] = []
    for (const { name, bytes } of mutatedPictures(format, count, 1)) {
      outcomes.push({ picture: `${outcomes.length}: ${name}`, outcome: await outcomeOf(bytes) })
    }
    const of = (...kinds: Outcome[]) => outcomes.filter(({ outcome }) => kinds.includes(outcome))
    expect(of('crashed', 'late')).toEqual([])
    // Proves that most of the decoders were reached.
    expect(of('encoded').length).toBeGreaterThan(count / 10)
    expect(of('undecodable', 'refused').length).toBeGreaterThan(count / 10)
  },
  60_000,
)

async function outcomeOf(bytes: Buffer): Promise<Outcome> {
  try {
    const header = readHeader(bytes)
    requireWithin({ sizeBytes: bytes.length, header }, limits, 'a picture')
    writeFileSync(picturePath, header.format === 'WebP' ? webpToPpm(bytes, header) : bytes)
    return await child.see(picturePath, header)
  } catch (error) {
    if (error instanceof Unreadable || error instanceof ApiError) return 'refused'
    throw error
  }
}

/** Decodes a WebP picture as its thread does. */
function webpToPpm(bytes: Buffer, canvas: Canvas): Uint8Array {
  const { file, left, top } = firstFrame(bytes)
  const pixels = libwebp.decode(file)
  if (pixels === null) throw new Unreadable('it is damaged')
  return toPpm({ width: pixels.width, height: pixels.height, left, top, rgba: pixels.data }, canvas)
}
