import { expect, test } from 'bun:test'
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Placement } from '../../../core/memory.ts'
import type { EngineInfo } from '../../../core/model-state.ts'
import { testEngineSettings } from '../../../testing/engine-settings.ts'
import { starterTextModel, startTextModels } from '../../../testing/starter-text-models.ts'
import { testedProgram } from '../../../testing/tested-program.ts'
import { engineSpawn } from '../../host/spawn-engine.ts'
import { protocolVersion } from '../../protocol/messages.ts'
import { runtimePaths } from '../../runtime/runtime-paths.ts'

const model = starterTextModel('embedding')
const paths = await runtimePaths('')

test('without CUDA libraries a model that wants a GPU runs on the CPU, and one line says why', async () => {
  await using models = startTextModels({ threads: 1, device: 'cuda' })
  await models.embed(model, 'moon')
  expect(models.lines).toEqual([
    expect.stringMatching(
      /^runs on the CPU, ONNX Runtime's CUDA provider cannot be used: .*providers_cuda.so is not there$/,
    ),
  ])
  expect(models.pool.status()[0]?.info).toMatchObject({ device: 'cpu', provider: 'CPUExecutionProvider' })
})

test.each(['cpu', 'auto'] as const)(
  'nothing is said on a machine without a GPU where the device is %s',
  async (device) => {
    await using models = startTextModels({ threads: 1, device })
    await models.embed(model, 'moon')
    expect(models.lines).toEqual([])
  },
)

test('CUDA libraries that do not load leave a model on the CPU, with what ONNX Runtime says of them', async () => {
  // Folder on the same disk as the libraries, so that they can be hard-linked.
  const folder = mkdtempSync(join(dirname(paths.tokenizers), '.inferd-cuda-'))
  for (const file of [basename(paths.onnxRuntime), 'libonnxruntime.so.1']) {
    linkSync(join(dirname(paths.onnxRuntime), file), join(folder, file))
  }
  for (const name of ['shared', 'cuda'])
    writeFileSync(join(folder, `libonnxruntime_providers_${name}.so`), 'no library')
  const { info, lines } = await loadPlaced(
    { device: 'cuda', deviceIndex: 0 },
    join(folder, basename(paths.onnxRuntime)),
  )
  const said = lines.join('\n')
  expect(said).toContain("runs on the CPU, ONNX Runtime's CUDA provider cannot be used")
  expect(said).toContain('libonnxruntime_providers_shared.so: file too short')
  expect(info).toMatchObject({ device: 'cpu' })
  rmSync(folder, { recursive: true })
})

test('a model that is placed on the CPU is not tried on a GPU', async () => {
  const { info, lines } = await loadPlaced({ device: 'cpu' }, paths.onnxRuntime)
  expect(info).toMatchObject({ device: 'cpu', threads: 1 })
  expect(lines).toEqual([])
})

test('a model that killed its engine is loaded without the last optimizations', async () => {
  const { info } = await loadPlaced({ device: 'cpu' }, paths.onnxRuntime, true)
  expect(info.description).toEndWith('extended optimizations')
})

/** Loads the model in a child, whatever devices this machine has, and ends the child. */
async function loadPlaced(placement: Placement['load'], onnxRuntime: string, isCautious = false) {
  const lines: string[] = []
  const ready = Promise.withResolvers<EngineInfo>()
  const ended = Promise.withResolvers<void>()
  const spawn = engineSpawn({ command: testedProgram, environment: {} })
  const child = spawn('onnx', {
    onMessage: (message) => message.type === 'ready' && ready.resolve(message.info),
    onLogLine: (line) => lines.push(line),
    onExit: (reason) => {
      ended.resolve()
      ready.reject(new Error(reason))
    },
  })
  const settings = { ...testEngineSettings, threads: 1, device: 'auto' }
  const runtime = { ...paths, onnxRuntime }
  const load = { type: 'load', version: protocolVersion, kind: 'onnx', model, settings, runtime } as const
  child.send({ ...load, isCautious, placement })
  const info = await ready.promise
  child.send({ type: 'stop' })
  await ended.promise
  return { info, lines }
}
