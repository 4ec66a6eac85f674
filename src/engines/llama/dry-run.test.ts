/**
 * Dry runs compared with real loads, for every architecture that can be generated, and with formulas for large models.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MemoryParts } from '../../core/memory.ts'
import { type Architecture, architectures, type ModelShape } from '../../testing/gguf/architectures.ts'
import { writeHeaderOnly, writeModel } from '../../testing/gguf/model-file.ts'
import { modelOfShape, proportionedShape, sizedShape } from '../../testing/gguf/sized-shape.ts'
import { openTestAddon, testContextOptions } from '../../testing/native-options.ts'
import { memoryOf } from './load-model.ts'
import type { NativeAddon, NativeContextOptions } from './native.ts'
import { loadOptions, onCpu } from './placement.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-dry-run-'))
let addon: NativeAddon

beforeAll(async () => {
  addon = await openTestAddon()
})

afterAll(() => rmSync(folder, { recursive: true }))

async function memoryAt(
  path: string,
  options: NativeContextOptions,
  noAlloc: boolean,
): Promise<MemoryParts | undefined> {
  const model = await addon.loadModel(loadOptions(path, onCpu, { noAlloc }))
  const context = new addon.Context(model, options)
  const { host } = memoryOf([context], () => 'host')
  await context.close()
  model.close()
  return host
}

const variants: Readonly<Record<string, Partial<NativeContextOptions>>> = {
  'one cache for all sequences': {},
  'a cache for each': { kvUnified: false },
  'small numbers': { kvType: 'q8_0', flashAttention: 'on' },
  'without flash attention': { flashAttention: 'off' },
  'large batches': { batchTokens: 1024, microBatchTokens: 1024 },
}

describe.each(Object.keys(architectures) as Architecture[])('%s', (architecture) => {
  const path = join(folder, `${architecture}.gguf`)

  beforeAll(() => writeModel(modelOfShape(architecture, sizedShape(architecture, 'small', 3e6)), path))

  test.each(Object.entries(variants))('takes what the dry run tells: %s', async (_, variant) => {
    const options = { ...testContextOptions, contextTokens: 4096, ...variant }
    const told = await memoryAt(path, options, true)
    expect(await memoryAt(path, options, false)).toEqual(told)
  })
})

/** Attention of public models; everything that does not change their caches is small. */
const large = {
  'Qwen3-8B': shapeOf('qwen3', { layers: 36, heads: 32, keyValueHeads: 8, headWidth: 128 }),
  'gpt-oss-20b': shapeOf('gpt-oss', { layers: 24, heads: 64, keyValueHeads: 8, headWidth: 64, windowTokens: 128 }),
  'gemma-3-12b': shapeOf('gemma3', { layers: 48, heads: 16, keyValueHeads: 8, headWidth: 256, windowTokens: 1024 }),
  'GLM-4.7-Flash': shapeOf('deepseek2', { layers: 47, heads: 20, headWidth: 256, latentWidth: 512, ropeWidth: 64 }),
  'Qwen3.6-35B-A3B': shapeOf('qwen35moe', {
    ...{ layers: 40, heads: 16, keyValueHeads: 2, headWidth: 256, ropeWidth: 64 },
    ...{ stateWidth: 128, stateHeads: 32, stateGroups: 16 },
  }),
} as const

function shapeOf(architecture: Architecture, more: Partial<ModelShape>) {
  return { architecture, shape: proportionedShape('large', 256, more.layers ?? 1, more) }
}

const mebibyte = 1024 * 1024
const usual: NativeContextOptions = {
  ...testContextOptions,
  ...{ contextTokens: 32_768, batchTokens: 512, microBatchTokens: 512, sequences: 8 },
}

test.each<readonly [keyof typeof large, Partial<NativeContextOptions>, number]>([
  ['Qwen3-8B', {}, 4608],
  ['Qwen3-8B', { kvType: 'q8_0' }, 2448],
  ['Qwen3-8B', { kvType: 'q4_0' }, 1296],
  ['gpt-oss-20b', { sequences: 1 }, 786],
  ['gpt-oss-20b', {}, 804],
  ['gpt-oss-20b', { sequences: 32 }, 876],
  ['gemma-3-12b', {}, 4768],
  ['GLM-4.7-Flash', {}, 1692],
  ['Qwen3.6-35B-A3B', { sequences: 1 }, 640 + 62.8],
])('the cache of %s with %o takes %d MiB', async (name, options, expected) => {
  const path = join(folder, `${name}.gguf`)
  const { architecture, shape } = large[name]
  await writeHeaderOnly(modelOfShape(architecture, shape), path)
  const told = await memoryAt(path, { ...usual, ...options }, true)
  expect((told?.contextBytes ?? 0) / mebibyte).toBeCloseTo(expected, 1)
})

test('a model of many gigabytes is told by its header', async () => {
  const path = join(folder, 'huge.gguf')
  const shape = proportionedShape('huge', 4096, 36, {
    feedForward: 12_288,
    headWidth: 128,
    heads: 32,
    keyValueHeads: 8,
  })
  await writeHeaderOnly(modelOfShape('qwen3', shape), path)
  const told = await memoryAt(path, usual, true)
  // Each layer has 2.5 * 4096 * 4096 weights of attention and 3 * 4096 * 12,288 of the feed-forward, at 34/32 bytes.
  expect((told?.modelBytes ?? 0) / 1e9).toBeCloseTo(7.38, 1)
})
