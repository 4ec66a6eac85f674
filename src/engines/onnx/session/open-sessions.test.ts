import { expect, test } from 'bun:test'
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { testEngineSettings } from '../../../testing/engine-settings.ts'
import { starterTextModel, startTextModels } from '../../../testing/starter-text-models.ts'
import { type EngineInfo, protocolVersion } from '../../protocol.ts'
import { runtimePaths } from '../../runtime-paths.ts'
import { engineSpawn } from '../../spawn-engine.ts'

const model = starterTextModel('embedding')
const paths = await runtimePaths('')

test('without CUDA libraries a model runs on the CPU, and one line says why', async () => {
  await using models = startTextModels({ threads: 1, device: 'auto' })
  await models.embed(model, 'moon')
  expect(models.lines).toEqual([
    expect.stringMatching(
      /^runs on the CPU, ONNX Runtime's CUDA provider did not load: .*providers_cuda.so is not there$/,
    ),
  ])
  expect(models.pool.status()[0]?.info).toMatchObject({ device: 'cpu', provider: 'CPUExecutionProvider' })
})

test('nothing is said where the CPU is what is wanted', async () => {
  await using models = startTextModels({ threads: 1, device: 'cpu' })
  await models.embed(model, 'moon')
  expect(models.lines).toEqual([])
})

test('CUDA libraries that do not load leave a model on the CPU, with what ONNX Runtime says of them', async () => {
  // On the same disk as the libraries, which are linked.
  const folder = mkdtempSync(join(dirname(paths.tokenizers), '.inferd-cuda-'))
  for (const file of [basename(paths.onnxRuntime), 'libonnxruntime.so.1']) {
    linkSync(join(dirname(paths.onnxRuntime), file), join(folder, file))
  }
  for (const name of ['shared', 'cuda'])
    writeFileSync(join(folder, `libonnxruntime_providers_${name}.so`), 'no library')
  await using models = startTextModels(
    { threads: 1, device: 'cuda' },
    {},
    { onnxRuntime: join(folder, basename(paths.onnxRuntime)) },
  )
  await models.embed(model, 'moon')
  const said = models.lines.join('\n')
  expect(said).toContain("runs on the CPU, ONNX Runtime's CUDA provider did not load")
  expect(said).toContain('libonnxruntime_providers_shared.so: file too short')
  expect(models.pool.status()[0]?.info).toMatchObject({ device: 'cpu' })
  rmSync(folder, { recursive: true })
})

test('a model that is placed on the CPU is not tried on a GPU', async () => {
  const lines: string[] = []
  const ready = Promise.withResolvers<EngineInfo>()
  const ended = Promise.withResolvers<string>()
  const child = engineSpawn({
    command: [process.execPath, join(import.meta.dir, '../../../main.ts')],
    environment: {},
  })('onnx', {
    onMessage: (message) => message.type === 'ready' && ready.resolve(message.info),
    onLogLine: (line) => lines.push(line),
    onExit: (reason) => {
      ended.resolve(reason)
      ready.reject(new Error(reason))
    },
  })
  const settings = { ...testEngineSettings, threads: 1, device: 'auto' }
  const load = { type: 'load', version: protocolVersion, kind: 'onnx', model, settings, runtime: paths } as const
  child.send({ ...load, isCautious: false, placement: { device: 'cpu' } })
  expect(await ready.promise).toMatchObject({ device: 'cpu', threads: 1 })
  child.send({ type: 'stop' })
  await ended.promise
  expect(lines).toEqual([])
})
