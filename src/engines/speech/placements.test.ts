import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstalledModel } from '../../core/model.ts'
import { readProcessMemory } from '../../machine/process-memory.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { spokenSamples, writeRecording } from '../../testing/spoken.ts'
import { starterSpeechModel, startSpeechEngines } from '../../testing/starter-speech.ts'
import { starterTranscriber, startTranscribers } from '../../testing/starter-transcriber.ts'
import { unlimited } from '../protocol/work-engines.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'
import { estimateSpeech } from './placements.ts'

const gigabyte = 1e9
const folder = mkdtempSync(join(tmpdir(), 'inferd-speech-placements-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function hostBytes(model: InstalledModel, threads: number): Promise<number> {
  const settings = { ...testEngineSettings, threads }
  const runtime = await runtimePaths('')
  const [placement] = await estimateSpeech({ model, settings, runtime, budgetBytes: {} })
  return placement?.needBytes.host ?? 0
}

/** A model with a sparse file of that size. */
function modelOf(bytes: number): InstalledModel {
  const path = join(folder, `${bytes}.onnx`)
  writeFileSync(path, '')
  truncateSync(path, bytes)
  return starterTranscriber({ model: path })
}

test('the starter model needs about what its engine takes', async () => {
  await using transcribers = startTranscribers({ threads: 2 })
  const model = starterTranscriber()
  const audio = writeRecording(join(folder, 'spoken.pcm'), spokenSamples())
  await Promise.all(Array.from({ length: 8 }, () => transcribers.transcribe(model, { audio, wantsWords: true })))
  const pid = transcribers.pool.status()[0]?.pid ?? 0
  const { peakBytes = 0 } = readProcessMemory([pid]).get(pid) ?? {}
  expect((await hostBytes(model, 2)) / peakBytes).toBeWithin(0.95, 2)
})

test('each chunk that is recognised beside others adds to it, and large models have few', async () => {
  const model = modelOf(gigabyte)
  const one = await hostBytes(model, 1)
  expect(one).toBeWithin(1.6 * gigabyte, 2.5 * gigabyte)
  expect((await hostBytes(model, 2)) - one).toBeCloseTo(gigabyte / 2, -6)
  expect(await hostBytes(model, 64)).toBeLessThan(4.5 * gigabyte)
})

test('a model that speaks needs memory for each sentence that it makes beside others', async () => {
  const pool = startSpeechEngines()
  const model = starterSpeechModel('tts')
  const input = 'word '.repeat(120)
  const request = { input, voice: 'alloy', speed: 1, format: 'pcm' } as const
  const context = { accountId: 'a', signal: new AbortController().signal, meter: unlimited }
  for await (const _ of pool.run(model, { kind: 'speak', request }, context));
  const pid = pool.status()[0]?.pid ?? 0
  const { peakBytes = 0 } = readProcessMemory([pid]).get(pid) ?? {}
  await pool.stop()
  expect((await hostBytes(model, 2)) / peakBytes).toBeWithin(0.7, 2)
  expect(await hostBytes(model, 64)).toBe(await hostBytes(model, 4))
}, 60_000)

test('files of the diarizer are another process, and a missing file is a broken model', async () => {
  const { filePaths, manifest } = modelOf(gigabyte)
  const large = { ...filePaths, segmentation: filePaths.model ?? '' }
  expect(await hostBytes({ manifest, filePaths: large }, 1)).toBe(await hostBytes({ manifest, filePaths }, 1))
  await expect(hostBytes(starterTranscriber({ model: join(folder, 'gone.onnx') }), 1)).rejects.toMatchObject({
    code: 'bad-model',
  })
})
