/** Speech when a GPU is wanted but does not compute: stub providers beside the real ONNX Runtime. */

import { afterAll, expect, test } from 'bun:test'
import { linkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InstalledModel } from '../../core/model.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { starterSpeechModel } from '../../testing/starter-speech.ts'
import { starterTranscriber } from '../../testing/starter-transcriber.ts'
import { stubProvider } from '../../testing/stub-provider.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import { engineSpawn } from '../host/spawn-engine.ts'
import { protocolVersion } from '../protocol/messages.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'
import { estimateSpeech } from './placements.ts'

const stub = stubProvider(await runtimePaths(''))
const { runtime } = stub
const folder = dirname(runtime.onnxRuntime)
afterAll(() => stub.remove())

const onGpu = { device: 'cuda', deviceIndex: 0 } as const
const models = [
  ['transcribes', starterTranscriber()],
  ['speaks', starterSpeechModel('tts')],
] as const

test.each(models)(
  'a model that %s runs on the CPU where the provider is no library, and says why',
  async (_, model) => {
    stub.writeGarbage()
    const { info, lines } = await load(model)
    expect(info).toMatchObject({ device: 'cpu', remark: expect.stringContaining('it failed on the GPU') })
    expect(lines.join('\n')).toContain('runs on the CPU: it failed on the GPU')
    expect(lines.join('\n')).toContain('file too short')
  },
)

test.each(models)(
  'a model that %s runs on the CPU where a library of NVIDIA is missing, which is named',
  async (_, model) => {
    stub.compile('', 'libcublasLt.so.13')
    const { info, lines } = await load(model)
    expect(info.device).toBe('cpu')
    expect(lines.join('\n')).toContain('libcublasLt.so.13')
  },
)

test('a model that killed its engine on the GPU is loaded on the CPU', async () => {
  const { info } = await load(starterTranscriber(), true)
  expect(info).toMatchObject({ device: 'cpu', remark: 'its last load on the GPU killed the engine' })
})

test('only the first GPU is used, since sherpa-onnx takes no other, and the CPU is what remains', async () => {
  const placements = await place(starterTranscriber(), 'auto')
  expect(placements.map(({ key }) => key)).toEqual(['gpu0', 'cpu'])
})

test('graphs of 8 bits stay on the CPU unless a GPU is demanded, or others lie beside them', async () => {
  const eightBits = join(folder, 'model.int8.onnx')
  linkSync(starterTranscriber().filePaths.model ?? '', eightBits)
  const model = starterTranscriber({ model: eightBits })
  expect(await place(model, 'auto')).toMatchObject([
    { key: 'cpu', load: { noGpuBecause: expect.stringContaining('model.int8.onnx is of 8 bits') } },
  ])
  expect((await place(model, 'cuda')).map(({ key }) => key)).toEqual(['gpu0', 'cpu'])
  linkSync(eightBits, join(folder, 'model.onnx'))
  expect((await place(model, 'auto')).map(({ key }) => key)).toEqual(['gpu0', 'cpu'])
})

test('a model with files for a GPU is placed there where they are here; else its remark says how to fetch them', async () => {
  const eightBits = join(folder, 'ears.int8.onnx')
  linkSync(starterTranscriber().filePaths.model ?? '', eightBits)
  const model = starterTranscriber({ model: eightBits })
  const gpuFiles = [{ role: 'model', name: 'half.onnx', url: 'https://example.com/half.onnx' }]
  const named = { ...model, manifest: { ...model.manifest, gpuFiles } }
  const [onCpu] = await place(named, 'auto')
  expect(String(onCpu?.load.noGpuBecause)).toEndWith(
    `node by node; 'inferd pull --gpu-files ${model.manifest.id}' fetches files for a GPU`,
  )
  const half = join(folder, 'half.onnx')
  linkSync(eightBits, half)
  const placed = await place({ ...named, gpuFilePaths: { model: half } }, 'auto')
  expect(placed.map(({ key }) => key)).toEqual(['gpu0', 'cpu'])
  const withWeights = `${half}.data`
  writeFileSync(withWeights, Buffer.alloc(1_000_000))
  const larger = await place({ ...named, gpuFilePaths: { model: half } }, 'auto')
  expect((larger[0]?.needBytes.gpu0 ?? 0) - (placed[0]?.needBytes.gpu0 ?? 0)).toBe(1_500_000)
  expect(larger[0]?.needBytes.host).toBe(placed[0]?.needBytes.host ?? 0)
})

test.each(models)('a model that %s does without its files for a GPU on the CPU', async (_, model) => {
  stub.writeGarbage()
  const { info } = await load({ ...model, gpuFilePaths: { model: '/nowhere/half.onnx' } })
  expect(info).toMatchObject({ device: 'cpu', remark: expect.stringContaining('it failed on the GPU') })
})

test.each([
  ['a large GPU', 80e9, 16],
  ['a middle one', 16e9, 4],
  ['a small one', 2.5e9, 1],
])(
  '%s takes as many chunks in a run as there is room for, and their memory counts',
  async (_, gpu0, chunksTogether) => {
    const [onGpu, onCpu] = await place(starterTranscriber(), 'auto', gpu0)
    expect(onGpu).toMatchObject({ key: 'gpu0', load: { device: 'cuda', chunksTogether } })
    expect(onGpu?.needBytes.gpu0).toBeGreaterThan((1024 + 2 * 192 * chunksTogether) * 2 ** 20)
    expect(onCpu?.load).toEqual({ device: 'cpu' })
  },
)

test('models whose kind computes chunk by chunk have no runs of several', async () => {
  const { manifest, filePaths } = starterTranscriber()
  const whisper = { manifest: { ...manifest, transcriber: { kind: 'whisper' } as const }, filePaths }
  expect((await place(whisper, 'auto'))[0]?.load).toEqual(onGpu)
  expect((await place(starterSpeechModel('tts'), 'auto'))[0]?.load).toEqual(onGpu)
})

test('on a machine without GPU nothing is said of one', async () => {
  const request = { model: starterTranscriber(), settings: { ...testEngineSettings, device: 'auto' }, runtime } as const
  expect(await estimateSpeech({ ...request, budgetBytes: { host: 1e10 } })).toMatchObject([{ load: { device: 'cpu' } }])
})

function place(model: InstalledModel, device: 'auto' | 'cuda', gpu0 = 1e10) {
  writeFileSync(join(folder, 'libonnxruntime_providers_cuda.so'), '')
  const budgetBytes = { host: 1e10, gpu0, gpu1: 1e10 }
  return estimateSpeech({ model, settings: { ...testEngineSettings, device }, runtime, budgetBytes })
}

/** Loads the model in a child, placed on a GPU that this machine need not have, and ends the child. */
async function load(model: InstalledModel, isCautious = false) {
  const lines: string[] = []
  const ready = Promise.withResolvers<EngineInfo>()
  const ended = Promise.withResolvers<void>()
  const spawn = engineSpawn({ command: testedProgram, environment: {} })
  const child = spawn('speech', {
    onMessage: (message) => message.type === 'ready' && ready.resolve(message.info),
    onLogLine: (line) => lines.push(line),
    onExit: (reason) => {
      ended.resolve()
      ready.reject(new Error(reason))
    },
  })
  const settings = { ...testEngineSettings, threads: 1, device: 'auto' }
  const message = { type: 'load', version: protocolVersion, kind: 'speech', model, settings, runtime } as const
  child.send({ ...message, isCautious, placement: onGpu })
  const info = await ready.promise
  child.send({ type: 'stop' })
  await ended.promise
  return { info, lines }
}
