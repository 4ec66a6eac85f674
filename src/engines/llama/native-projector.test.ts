import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hearingProjector } from '../../testing/gguf/hearing-projector.ts'
import { type ModelPlan, writeModel } from '../../testing/gguf/model-file.ts'
import { visionModel } from '../../testing/gguf/vision-models.ts'
import { openTestAddon } from '../../testing/native-options.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import type { NativeAddon, NativeModel } from './native.ts'
import type { NativePicture, NativeProjector, NativeProjectorOptions, NativeReadyPicture } from './native-projector.ts'
import { loadOptions, onCpu } from './placement.ts'

const starter = join(import.meta.dir, '..', '..', '..', 'models', 'starter')
const folder = mkdtempSync(join(tmpdir(), 'inferd-projector-'))

let addon: NativeAddon
let model: NativeModel
let projector: NativeProjector

beforeAll(async () => {
  addon = await openTestAddon()
  model = await addon.loadModel(loadOptions(join(starter, 'starter-chat-q8_0.gguf'), onCpu))
  projector = await addon.loadProjector(options())
})

afterAll(async () => {
  await projector.close()
  model.close()
  rmSync(folder, { recursive: true })
})

function options(changes: Partial<NativeProjectorOptions> = {}): NativeProjectorOptions {
  return {
    path: join(starter, 'starter-chat-mmproj-f16.gguf'),
    model,
    device: undefined,
    threads: 1,
    imageTokens: 0,
    flashAttention: 'auto',
    ...changes,
  }
}

/** Writes a file in the tests' folder. */
function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

function picture(bytes: Uint8Array, changes: Partial<NativePicture> = {}): NativePicture {
  return { path: file('picture', bytes), orientation: 1, size: { width: 40, height: 20 }, ...changes }
}

const gradient = toPng(paint(40, 20, (x, y) => [x * 6, y * 12, 128]))

describe('loadProjector', () => {
  test('says what the projector does, and gives each one another marker', async () => {
    expect(projector).toMatchObject({ seesImages: true, isNonCausal: false })
    const other = await addon.loadProjector(options())
    expect(other.marker).toMatch(/^picture[0-9a-f]{32}$/)
    expect(other.marker).not.toBe(projector.marker)
    await other.close()
  })

  test('tells beforehand what it will hold', async () => {
    const { model: _, ...rest } = options()
    const held = await addon.projectorMemory(rest)
    expect(held).toEqual([
      {
        device: -1,
        modelBytes: expect.any(Number),
        contextBytes: 0,
        computeBytes: expect.any(Number),
        reorderedBytes: 0,
      },
    ])
    expect(held[0]?.modelBytes).toBeGreaterThan(5_000_000)
    expect(held[0]?.computeBytes).toBeGreaterThan(100_000)
    expect(projector.memoryBreakdown()).toEqual([...held])
  })

  test('refuses a truncated file', async () => {
    const path = join(folder, 'truncated.gguf')
    copyFileSync(options().path, path)
    truncateSync(path, 5_000_000)
    await expect(addon.loadProjector(options({ path }))).rejects.toMatchObject({
      code: 'LOAD_FAILED',
      message: 'the projector cannot be loaded: the file is truncated; fetch it again',
    })
  })
})

async function write(name: string, plan: ModelPlan): Promise<string> {
  const path = join(folder, name)
  await writeModel(plan, path)
  return path
}

test('the largest picture takes the memory that was reserved, and no token more than was asked for', async () => {
  const plans = visionModel('qwen2vl_merger')
  const many = await addon.loadModel(loadOptions(await write('many.gguf', plans.model), onCpu))
  const path = await write('many-mmproj.gguf', plans.projector)
  const limited = await addon.loadProjector(options({ path, model: many, imageTokens: 100 }))
  const before = limited.memoryBreakdown()
  const size = { width: 400, height: 400 }
  const large = { ...picture(toPng(paint(400, 400, (x, y) => [x % 256, y % 256, 0]))), size }
  const ready = await limited.prepare(large)
  expect(ready).toMatchObject({ kind: 'ready', entries: [100] })
  const [encoded] = await limited.encode([ready.kind === 'ready' ? ready.number : 0], 1)
  expect(encoded?.[0]?.embeddings.length).toBe(100 * many.info.embeddingSize)
  expect(limited.memoryBreakdown()).toEqual([...before])
  await limited.close()
  many.close()
})

describe('loadProjector refuses', () => {
  test('a projector of another model', async () => {
    const path = await write('other.gguf', visionModel('janus_pro').projector)
    await expect(addon.loadProjector(options({ path }))).rejects.toMatchObject({
      code: 'LOAD_FAILED',
      message: expect.stringContaining('the projector belongs to another model'),
    })
  })

  test('a projector whose marks the model does not know', async () => {
    const tiny = await addon.loadModel(loadOptions(await write('tiny.gguf', visionModel('janus_pro').model), onCpu))
    const path = await write('tiles.gguf', visionModel('idefics3').projector)
    const refused = addon.loadProjector(options({ path, model: tiny }))
    await expect(refused).rejects.toThrow("the model's vocabulary lacks its marks")
    tiny.close()
  })

  test('a file that is none', async () => {
    const path = join(starter, 'starter-chat-q8_0.gguf')
    await expect(addon.loadProjector(options({ path }))).rejects.toThrow('the file is no projector')
    await expect(addon.loadProjector(options({ path: file('text.gguf', Buffer.from('text')) }))).rejects.toMatchObject({
      code: 'LOAD_FAILED',
    })
    await expect(addon.loadProjector(options({ path: join(folder, 'none') }))).rejects.toThrow('No such file')
  })

  test('a kind that llama.cpp does not know', async () => {
    const { metadata, ...rest } = visionModel('janus_pro').projector
    const path = await write('unheard-of.gguf', {
      ...rest,
      metadata: new Map([...metadata, ['clip.projector_type', { type: 'string', value: 'unheard-of' }]]),
    })
    const words = 'the projector cannot be loaded: unknown projector type: unheard-of'
    const { model: _, ...header } = options({ path })
    await expect(addon.loadProjector(options({ path }))).rejects.toMatchObject({ code: 'LOAD_FAILED', message: words })
    await expect(addon.projectorMemory(header)).rejects.toMatchObject({ code: 'LOAD_FAILED', message: words })
  })

  test('one over whose every sound llama.cpp would abort', async () => {
    const path = await write('miscounted.gguf', hearingProjector('miscounted', model.info.embeddingSize))
    const words = 'the projector cannot be loaded: llama.cpp counts 187 entries of a sound, and computes 188'
    const { model: _, ...header } = options({ path })
    await expect(addon.loadProjector(options({ path }))).rejects.toMatchObject({ code: 'LOAD_FAILED', message: words })
    await expect(addon.projectorMemory(header)).rejects.toMatchObject({ code: 'LOAD_FAILED', message: words })
  })
})

describe('tokenize', () => {
  test('splits a prompt into tokens and pictures', async () => {
    const sizes = [
      { width: 100, height: 50 },
      { width: 1, height: 1 },
    ]
    const pieces = await projector.tokenize(`a${projector.marker}b${projector.marker}`, sizes)
    const picture = { kind: 'picture', part: 0, entries: 64, positions: 64 } as const
    expect(pieces).toEqual([
      { kind: 'tokens', tokens: await model.tokenize('a', true, true) },
      { ...picture, picture: 0 },
      { kind: 'tokens', tokens: await model.tokenize('b', false, true) },
      { ...picture, picture: 1 },
    ])
  })

  test('takes a text of nothing but control tokens beside a picture', async () => {
    const text = '<|im_end|>'.repeat(200_000)
    const [tokens, ...others] = await projector.tokenize(text + projector.marker, [{ width: 1, height: 1 }])
    expect(tokens).toEqual({ kind: 'tokens', tokens: await model.tokenize(text, true, true) })
    expect(others).toHaveLength(1)
  }, 30_000)

  test('refuses another number of markers than of pictures', async () => {
    await expect(projector.tokenize('no picture', [{ width: 1, height: 1 }])).rejects.toThrow(
      new RangeError('the prompt has 0 markers for 1 pictures and sounds'),
    )
    await expect(projector.tokenize(`${projector.marker}`, [])).rejects.toThrow(RangeError)
  })

  test('names the picture that is too narrow', async () => {
    const sizes = [
      { width: 200, height: 100 },
      { width: 5, height: 1000 },
    ]
    const tokenized = projector.tokenize(`${projector.marker} ${projector.marker}`, sizes)
    const message = 'one side of the picture is 200 times the other or more'
    await expect(tokenized).rejects.toMatchObject({ code: 'PICTURE_REFUSED', index: 1, message })
  })
})

async function prepared(bytes: Uint8Array, on = projector): Promise<NativeReadyPicture> {
  const result = await on.prepare(picture(bytes))
  if (result.kind === 'undecodable') throw new Error(result.message)
  return result
}

describe('prepare and encode', () => {
  test('makes embeddings of a picture', async () => {
    const ready = await prepared(gradient)
    expect(ready.entries).toEqual([64])
    // The encoder's input has three floats per pixel.
    expect(ready.bytes % 12).toBe(0)
    const [parts = []] = await projector.encode([ready.number], 1)
    expect(parts.map((part) => part.embeddings.length)).toEqual([64 * model.info.embeddingSize])
    expect(parts[0]?.positions).toEqual(Int32Array.from({ length: 64 }, (_, i) => i))
    expect(parts[0]?.embeddings.every(Number.isFinite)).toBe(true)
    projector.drop(ready.number)
  })

  test('says what is wrong with a picture', async () => {
    const text = { ...picture(gradient), path: file('text', Buffer.from('no picture')) }
    expect(await projector.prepare(text)).toMatchObject({ kind: 'undecodable' })
    expect(await projector.prepare(picture(gradient.subarray(0, 60)))).toEqual({
      kind: 'undecodable',
      message: expect.stringMatching(/^the picture is damaged: /),
    })
  })

  test('a picture may be prepared while another is encoded, and needs its file no more', async () => {
    const first = await prepared(gradient)
    const encoding = projector.encode([first.number], 1)
    const second = await prepared(gradient)
    unlinkSync(picture(gradient).path)
    const [one] = await encoding
    const [other] = await projector.encode([second.number], 1)
    expect(other).toEqual([...(one ?? [])])
  })

  test('a picture that was dropped is unknown', async () => {
    const { number } = await prepared(gradient)
    projector.drop(number)
    projector.drop(number)
    await expect(projector.encode([number], 1)).rejects.toThrow('nothing is prepared under this number')
    await expect(projector.encode([], 1)).rejects.toThrow(RangeError)
  })

  test('refuses a second call while one runs, and all once it is closed', async () => {
    const other = await addon.loadProjector(options())
    const { number } = await prepared(gradient, other)
    const first = other.encode([number], 1)
    await expect(other.encode([number], 1)).rejects.toThrow('an encode is running')
    await other.close()
    expect((await first).length).toBe(1)
    await expect(other.encode([number], 1)).rejects.toThrow('the projector is closed')
    await expect(other.prepare(picture(gradient))).rejects.toThrow('the projector is closed')
    await expect(other.tokenize('', [])).rejects.toThrow('the projector is closed')
  })
})
