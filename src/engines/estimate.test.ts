import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineKind, InstalledModel } from '../core/model.ts'
import { testEngineSettings } from '../testing/engine-settings.ts'
import { writeModel } from '../testing/gguf/model-file.ts'
import { modelOfShape, sizedShape } from '../testing/gguf/sized-shape.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { type EstimateOptions, estimatePlacements } from './estimate.ts'
import { askChild } from './host/ask-child.ts'
import { engineSpawn } from './host/spawn-engine.ts'
import { preparedPicturesBytes } from './llama/memory-need.ts'
import { protocolVersion } from './protocol/messages.ts'
import { runtimePaths } from './runtime/runtime-paths.ts'

const root = join(import.meta.dir, '..', '..')
const starter = join(root, 'models/starter/starter-chat-q8_0.gguf')
const projector = join(root, 'models/starter/starter-chat-mmproj-f16.gguf')
const folder = mkdtempSync(join(tmpdir(), 'inferd-estimate-'))
const inferd = testedProgram

afterAll(() => rmSync(folder, { recursive: true }))

function modelAt(path: string, engine: EngineKind = 'llama'): InstalledModel {
  return { manifest: testManifest({ id: 'a/b', engine }), filePaths: { model: path } }
}

/** Resolves with the placements of a model, or with the error. */
function estimate(
  model: InstalledModel,
  {
    command = inferd,
    signal = new AbortController().signal,
    ...options
  }: Partial<EstimateOptions> & {
    readonly command?: readonly string[]
    readonly signal?: AbortSignal
  } = {},
) {
  const all = {
    spawn: engineSpawn({ command, environment: {} }),
    settings: testEngineSettings,
    runtime: () => runtimePaths(''),
    budgetBytes: { host: 64e9 },
    ...options,
  }
  return estimatePlacements(model, all, signal).catch((error: unknown) => error)
}

function hostBytes(placements: unknown): number {
  return Array.isArray(placements) ? placements[0].needBytes.host : Number.NaN
}

test('a model whose engine tells no better needs more than its files', async () => {
  const placements = await estimate(modelAt(starter, 'fake'))
  expect(placements).toMatchObject([{ label: 'CPU' }])
  expect(hostBytes(placements)).toBeGreaterThan(Bun.file(starter).size)
})

test('a model whose file is gone is a bad model, and the error names the file', async () => {
  const gone = '/nowhere/model.gguf'
  for (const engine of ['fake', 'llama'] as const) {
    const message = expect.stringContaining(gone)
    expect(await estimate(modelAt(gone, engine))).toMatchObject({ code: 'bad-model', message })
  }
}, 60_000)

test('of a GGUF the header says what the whole needs', async () => {
  const path = join(folder, 'header.gguf')
  writeFileSync(path, readFileSync(starter).subarray(0, 100_000))
  const cut = await estimate(modelAt(path))
  expect(cut).toMatchObject({ code: 'bad-model', message: expect.stringContaining('not within the file bounds') })
  truncateSync(path, Bun.file(starter).size)
  const whole = await estimate(modelAt(starter))
  expect(whole).toMatchObject([{ key: 'cpu', label: 'CPU', needBytes: { host: expect.any(Number) } }])
  expect(await estimate(modelAt(path))).toEqual(whole)
}, 60_000)

test('weights that the CPU copies into another order are in memory once', async () => {
  const path = join(folder, 'reordered.gguf')
  const model = modelAt(path)
  await writeModel(modelOfShape('qwen3', sizedShape('qwen3', 'reordered', 8e6), { weights: 'q4_0' }), path)
  const placements = await estimate(model)
  const placement = Array.isArray(placements) ? placements[0].load : undefined
  const common = { version: protocolVersion, kind: 'llama', settings: testEngineSettings, isCautious: false } as const
  const load = { ...common, type: 'load', model, placement, runtime: await runtimePaths('') } as const
  const { signal } = new AbortController()
  const spawn = engineSpawn({ command: inferd, environment: {} })
  const { info } = await askChild(spawn, load, { answer: 'ready', limitMs: 30_000, signal })
  expect(info.memory?.host?.modelBytes).toBeLessThan(1.2 * Bun.file(path).size)
}, 60_000)

test('a larger context, and memory for prompts, need more', async () => {
  const wanted = [{}, { contextTokens: 8192 }, { prefixCacheMb: testEngineSettings.prefixCacheMb + 1 }]
  const settings = wanted.map((each) => ({ ...testEngineSettings, ...each }))
  const told = await Promise.all(settings.map((each) => estimate(modelAt(starter), { settings: each })))
  const [usual = 0, larger, parked] = told.map(hostBytes)
  expect(larger).toBeGreaterThan(usual)
  expect(parked).toBe(usual + 1024 * 1024)
}, 60_000)

test('a model that sees needs its projector too, and memory for pictures', async () => {
  const seeing = (mmproj: string) => ({ ...modelAt(starter), filePaths: { model: starter, mmproj } })
  const settings = { ...testEngineSettings, imageCacheMb: 0 }
  const [blind, sees, keeps, bad] = await Promise.all([
    estimate(modelAt(starter), { settings }),
    estimate(seeing(projector), { settings }),
    estimate(seeing(projector)),
    estimate(seeing(starter)),
  ])
  const projectorBytes = hostBytes(sees) - hostBytes(blind) - 360e6 - preparedPicturesBytes
  expect(projectorBytes / Bun.file(projector).size).toBeWithin(0.9, 1.5)
  expect(hostBytes(keeps)).toBe(hostBytes(sees) + testEngineSettings.imageCacheMb * 1024 * 1024)
  expect(bad).toMatchObject({ code: 'bad-model', message: expect.stringContaining('projector') })
}, 60_000)

test.each([
  ['aborts', 'echo "GGML_ASSERT(n > 0) failed" >&2; kill -ABRT $$', 'bad-model', /signal SIGABRT: GGML_ASSERT/],
  ['is killed', 'kill -KILL $$', 'out-of-memory', /more memory than there is/],
])('a child that %s is an error, and nothing else', async (_, script, code, message) => {
  const failure = await estimate(modelAt(starter), { command: ['sh', '-c', script] })
  expect(failure).toMatchObject({ code, message: expect.stringMatching(message) })
})

test.each(['KILL', 'SEGV', 'TERM'])('a child that is ended by SIG%s once is asked again', async (signal) => {
  const once = join(folder, `once-${signal}`)
  const command = ['sh', '-c', `[ -e '${once}' ] && exec "$@"; touch '${once}'; kill -${signal} $$`, 'sh', ...inferd]
  expect(await estimate(modelAt(starter), { command })).toEqual(await estimate(modelAt(starter)))
})

test('whoever does not wait any longer ends the child', async () => {
  const controller = new AbortController()
  const waiting = estimate(modelAt(starter), { command: ['sh', '-c', 'sleep 60'], signal: controller.signal })
  await Bun.sleep(0)
  controller.abort(new Error('no longer wanted'))
  expect(await waiting).toMatchObject({ message: 'no longer wanted' })
})
