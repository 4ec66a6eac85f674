import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testManifest } from '../../testing/test-manifest.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'
import { estimateDiarization } from './placements.ts'

const starter = join(import.meta.dir, '../../../models/starter')
const runtime = await runtimePaths('')
const settings = {
  parallel: 4,
  maxWaiting: 8,
  threads: 2,
  device: 'auto',
  keepAliveMs: Number.POSITIVE_INFINITY,
} as const
const files = {
  segmentation: join(starter, 'starter-segmentation.onnx'),
  'speaker-embedding': join(starter, 'starter-speaker-embedding.onnx'),
}

async function estimate(filePaths: Readonly<Record<string, string>>, threads: number) {
  const model = { manifest: testManifest({ id: 'test/diarizer', type: 'stt', engine: 'diarization' }), filePaths }
  const [placement] = await estimateDiarization({ model, settings: { ...settings, threads }, runtime, budgetBytes: {} })
  return placement
}

test('each thread has its own copy of both models', async () => {
  const one = await estimate(files, 1)
  const four = await estimate(files, 4)
  expect(one).toMatchObject({ key: 'cpu', label: 'CPU', load: { device: 'cpu' } })
  expect(four?.needBytes.host).toBeGreaterThan((one?.needBytes.host ?? 0) + 3 * 2 * 48 * 2 ** 20)
})

test.each([
  ['a large GPU', 80e9, 64],
  ['a small one', 4e9, 7],
])(
  '%s computes as many windows together as there is room for, and their memory counts',
  async (_, gpu0, rowsTogether) => {
    const model = {
      manifest: testManifest({ id: 'test/diarizer', type: 'stt', engine: 'diarization' }),
      filePaths: files,
    }
    const budgetBytes = { host: 8e9, gpu0 }
    const withCuda = { ...runtime, onnxRuntime: bindingWithCuda() }
    const [onGpu, onCpu] = await estimateDiarization({ model, settings, runtime: withCuda, budgetBytes })
    expect(onGpu).toMatchObject({ key: 'gpu0', load: { device: 'cuda', deviceIndex: 0, rowsTogether } })
    expect(onGpu?.needBytes.gpu0).toBeGreaterThan((1024 + 32 * rowsTogether) * 2 ** 20)
    expect(onCpu?.load).toEqual({ device: 'cpu' })
  },
)

/** A binding with the file of the CUDA provider beside it. */
function bindingWithCuda(): string {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-diarization-cuda-'))
  folders.push(folder)
  writeFileSync(join(folder, 'libonnxruntime_providers_cuda.so'), '')
  return join(folder, 'onnxruntime_binding.node')
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

test('a file that the manifest does not name, or that is gone, is a bad model', async () => {
  await expect(estimate({ segmentation: files.segmentation }, 1)).rejects.toMatchObject({ code: 'bad-model' })
  await expect(estimate({ ...files, segmentation: '/nowhere.onnx' }, 1)).rejects.toMatchObject({ code: 'bad-model' })
})
