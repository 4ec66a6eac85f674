/** Tokens after prompts with pictures, compared with those of llama.cpp's own helper (`scripts/vision-truth.ts`). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeModel } from '../../testing/gguf/model-file.ts'
import { type ProjectorKind, projectorKinds } from '../../testing/gguf/projector-kinds.ts'
import { visionModel } from '../../testing/gguf/vision-models.ts'
import { greedySampler, openTestAddon, testContextOptions } from '../../testing/native-options.ts'
import { type Pixels, toPng } from '../../testing/pictures.ts'
import { askedPictures, promptTexts } from '../../testing/vision-questions.ts'
import truth from '../../testing/vision-truth.json'
import type { NativeAddon, NativeBatch, NativeContext, NativeModel } from './native.ts'
import type { NativePicture, NativePictureEmbeddings, NativeProjector, NativePromptPiece } from './native-projector.ts'
import { loadOptions, onCpu } from './placement.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-vision-truth-'))
const kinds = Object.keys(projectorKinds) as ProjectorKind[]

interface Loaded {
  readonly model: NativeModel
  readonly projector: NativeProjector
}

let addon: NativeAddon
const loaded = new Map<ProjectorKind, Loaded>()

beforeAll(async () => {
  addon = await openTestAddon()
  for (const kind of kinds) {
    const plans = visionModel(kind)
    const [modelPath, path] = [join(folder, `${kind}.gguf`), join(folder, `${kind}-mmproj.gguf`)]
    await writeModel(plans.model, modelPath)
    await writeModel(plans.projector, path)
    const model = await addon.loadModel(loadOptions(modelPath, onCpu))
    const options = { path, model, device: undefined, threads: 1, imageTokens: 0, flashAttention: 'auto' } as const
    loaded.set(kind, { model, projector: await addon.loadProjector(options) })
  }
})

afterAll(async () => {
  for (const { model, projector } of loaded.values()) {
    await projector.close()
    model.close()
  }
  rmSync(folder, { recursive: true })
})

function models(kind: ProjectorKind): Loaded {
  const found = loaded.get(kind)
  if (found === undefined) throw new Error(`${kind} is not loaded`)
  return found
}

function file(pixels: Pixels): NativePicture {
  const path = join(folder, `${pixels.width}x${pixels.height}.png`)
  writeFileSync(path, toPng(pixels))
  return { path, orientation: 1, size: { width: pixels.width, height: pixels.height } }
}

/** Returns the embeddings of each part of each picture. */
async function encodeAll(projector: NativeProjector, pictures: readonly Pixels[]) {
  const numbers: number[] = []
  for (const picture of pictures) {
    const prepared = await projector.prepare(file(picture))
    if (prepared.kind === 'undecodable') throw new Error(prepared.message)
    numbers.push(prepared.number)
  }
  const encoded: (readonly NativePictureEmbeddings[])[] = []
  let calls = 0
  while (encoded.length < numbers.length) {
    encoded.push(...(await projector.encode(numbers.slice(encoded.length), 1)))
    calls += 1
  }
  for (const number of numbers) projector.drop(number)
  return { encoded, calls }
}

interface Entries extends Pick<NativeBatch, 'tokens' | 'positions'> {
  readonly embeddings?: Float32Array
  readonly count: number
}

/** Returns the entries `from` to `to` of a piece that begins at `position`. */
function cut(
  piece: NativePromptPiece,
  part: NativePictureEmbeddings | undefined,
  position: number,
  range: Range,
): Entries {
  const { from, to } = range
  if (piece.kind === 'tokens') {
    const tokens = piece.tokens.slice(from, to)
    return { tokens, positions: tokens.map((_, index) => position + from + index), count: tokens.length }
  }
  if (part === undefined) throw new Error('a part of a picture is missing')
  const size = part.embeddings.length / piece.entries
  const rows = Array.from({ length: part.positions.length / piece.entries }, (_, dimension) => [
    ...part.positions.slice(dimension * piece.entries + from, dimension * piece.entries + to),
  ])
  return {
    tokens: new Int32Array(0),
    embeddings: part.embeddings.slice(from * size, to * size),
    positions: Int32Array.from(rows.flat(), (relative) => relative + position),
    count: to - from,
  }
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Returns the likeliest tokens behind the prompt, decoded in batches of `batch` entries. */
async function behindPrompt(kind: ProjectorKind, { batch = 512, isCausal = true, pictures = askedPictures } = {}) {
  const { model, projector } = models(kind)
  const sizes = pictures.map(({ width, height }) => ({ width, height }))
  const pieces = await projector.tokenize(promptTexts.join(projector.marker), sizes)
  const { encoded } = await encodeAll(projector, pictures)
  const context = new addon.Context(model, {
    ...testContextOptions,
    contextTokens: 512,
    microBatchTokens: 512,
    sequences: 1,
  })
  try {
    const sampler = new addon.Sampler(model, { ...greedySampler, topLogprobs: 20 })
    let position = 0
    let last: Awaited<ReturnType<NativeContext['step']>> | undefined
    for (const piece of pieces) {
      const part = piece.kind === 'picture' ? encoded[piece.picture]?.[piece.part] : undefined
      const entries = piece.kind === 'picture' ? piece.entries : piece.tokens.length
      for (let from = 0; from < entries; from += batch) {
        const { count, ...rest } = cut(piece, part, position, { from, to: Math.min(entries, from + batch) })
        const outputs = piece === pieces.at(-1) && from + batch >= entries ? [{ entry: count - 1, sampler }] : []
        const causal = piece.kind === 'tokens' || isCausal
        last = await context.step({ ...rest, isCausal: causal, sequences: new Int32Array(count), outputs })
      }
      position += piece.kind === 'picture' ? piece.positions : piece.tokens.length
    }
    if (last?.kind !== 'ok') throw new Error('the cache is full')
    return last.samples[0]?.[0]?.alternatives ?? []
  } finally {
    await context.close()
  }
}

/** Compares two results. CPUs differ in the last digits. */
function expectSame(
  found: readonly { token: number; logprob: number }[],
  wanted: readonly { token: number; logprob: number }[],
  difference = 0.01,
): void {
  const byToken = new Map(found.map(({ token, logprob }) => [token, logprob]))
  for (const { token, logprob } of wanted.slice(0, 10)) {
    expect(Math.abs((byToken.get(token) ?? Number.NEGATIVE_INFINITY) - logprob)).toBeLessThan(difference)
  }
}

describe.each(kinds)('%s', (kind) => {
  const isCausal = kind !== 'gemma3'

  test('is followed by what llama.cpp says', async () => {
    expect(models(kind).projector.isNonCausal).toBe(!isCausal)
    expectSame(await behindPrompt(kind, { isCausal }), truth[kind])
  })

  test('is followed by something else behind other pictures', async () => {
    const found = await behindPrompt(kind, { isCausal, pictures: askedPictures.toReversed() })
    expect(() => expectSame(found, truth[kind])).toThrow()
  })
})

test.each(kinds.filter((kind) => kind !== 'gemma3'))(
  '%s: a picture may be decoded in several batches',
  async (kind) => {
    expectSame(await behindPrompt(kind, { batch: 5 }), truth[kind])
  },
)

describe('entries that see each other', () => {
  test('are another answer than entries in a line', async () => {
    const found = await behindPrompt('gemma3', { isCausal: true })
    expect(() => expectSame(found, truth.gemma3)).toThrow()
  })

  test('must fit one micro-batch', async () => {
    const context = new addon.Context(models('gemma3').model, { ...testContextOptions, microBatchTokens: 8 })
    const positions = Int32Array.from({ length: 9 }, (_, index) => index)
    const entries = { tokens: positions, positions, sequences: new Int32Array(9), outputs: [] }
    await expect(context.step({ ...entries, isCausal: false })).rejects.toThrow(RangeError)
    expect(context.maxPosition(0)).toBe(-1)
    expect(await context.step(entries)).toMatchObject({ kind: 'ok', samples: [] })
    await context.close()
  })
})

test('several pictures are encoded together, and are the same as alone', async () => {
  const { projector } = models('internvl')
  const square = { ...askedPictures[1], width: 20, height: 30 } as Pixels
  const { encoded, calls } = await encodeAll(projector, [square, square, square])
  expect(calls).toBe(1)
  const alone = await encodeAll(projector, [square])
  for (const parts of encoded) {
    const numbers = parts[0]?.embeddings ?? []
    const difference = [...(alone.encoded[0]?.[0]?.embeddings ?? [])].map(
      (number, i) => number - (numbers[i] ?? Number.NaN),
    )
    expect(Math.max(...difference.map(Math.abs))).toBeLessThan(1e-4)
  }
})

test('tiles lie between marks', async () => {
  const { projector } = models('idefics3')
  const pieces = await projector.tokenize(projector.marker, [{ width: 100, height: 100 }])
  expect(pieces.map(({ kind }) => kind)).toEqual(['tokens', 'picture', 'tokens', 'picture', 'tokens'])
})
