import { expect, test } from 'bun:test'
import type { DeviceFigures, DeviceSample } from '../machine/device-figures.ts'
import type { MachineSample } from '../machine/sample-machine.ts'
import { modelState } from '../testing/model-state.ts'
import { afterSample, type KnownDevice, machinePicture } from './machine-picture.ts'

const gigabyte = 1e9

function device(index: number, parts: Partial<DeviceFigures> = {}): DeviceFigures {
  return {
    id: `gpu${index}`,
    uuid: `GPU-${index}`,
    name: 'NVIDIA H200',
    kind: 'nvidia',
    totalBytes: 141 * gigabyte,
    freeBytes: 100 * gigabyte,
    loadPercent: 87,
    temperatureC: 61,
    powerW: 412,
    processBytes: new Map(),
    ...parts,
  }
}

function sampleOf(devices: DeviceSample, parts: Partial<MachineSample> = {}): MachineSample {
  return { devices, host: undefined, processes: new Map(), ownBytes: 0, disk: undefined, ...parts }
}

function knownAfter(...samples: readonly DeviceSample[]): ReadonlyMap<string, KnownDevice> {
  return samples.reduce(
    (known, devices, index) => afterSample(known, { devices }, index * 2_000),
    new Map<string, KnownDevice>() as ReadonlyMap<string, KnownDevice>,
  )
}

const memory = { modelBytes: 20 * gigabyte, contextBytes: 8 * gigabyte, computeBytes: gigabyte }
const info = { device: 'cuda', description: '', contextTokens: 32_768, parallel: 32 }

test('a model has what the driver measured of its process, split as the engine says', () => {
  const known = knownAfter([device(0, { processBytes: new Map([[7, 30 * gigabyte]]) })])
  const engines = [modelState({ modelId: 'a/b', pid: 7, info: { ...info, memory: { gpu0: memory } } })]
  const { devices } = machinePicture({ known, sample: sampleOf([]), engines, pools: [], nowMs: 0 })
  expect(devices).toMatchObject([
    {
      id: 'gpu0',
      state: 'ok',
      otherBytes: 11 * gigabyte,
      models: [
        {
          model: 'a/b',
          weightsBytes: 20 * gigabyte,
          cacheBytes: 8 * gigabyte,
          otherBytes: 2 * gigabyte,
          isMeasured: true,
        },
      ],
    },
  ])
})

test('without a measurement the engine’s own numbers stand, and are marked', () => {
  const engines = [modelState({ modelId: 'a/b', pid: 7, info: { ...info, memory: { gpu0: memory } } })]
  const pools = [
    {
      id: 'gpu0',
      reservedBytes: 35 * gigabyte,
      totalBytes: undefined,
      freeBytes: undefined,
      keptBytes: 0,
      roomBytes: 0,
      foreignBytes: 0,
      isFrozen: false,
    },
  ]
  const known = knownAfter([device(0)])
  const { devices } = machinePicture({ known, sample: sampleOf([]), engines, pools, nowMs: 0 })
  expect(devices[0]).toMatchObject({
    reservedBytes: 6 * gigabyte,
    otherBytes: 12 * gigabyte,
    models: [{ otherBytes: gigabyte, isMeasured: false }],
  })
})

test('all parts of the machine’s memory together are the whole, mapped files included', () => {
  const processes = new Map([[7, { residentBytes: 6 * gigabyte, peakBytes: 0, privateBytes: 2 * gigabyte }]])
  const sample = sampleOf([], {
    host: { totalBytes: 64 * gigabyte, freeBytes: 50 * gigabyte },
    processes,
    ownBytes: gigabyte,
  })
  const engines = [modelState({ modelId: 'a/b', pid: 7, info })]
  const { memory: bar } = machinePicture({ known: new Map(), sample, engines, pools: [], nowMs: 0 })
  expect(bar).toMatchObject({ freeBytes: 46 * gigabyte, serverBytes: gigabyte, otherBytes: 11 * gigabyte })
  expect(bar.models).toMatchObject([{ otherBytes: 6 * gigabyte, isMeasured: true }])
})

test('prompts that wait for their model are the server’s', () => {
  const host = { totalBytes: 64 * gigabyte, freeBytes: 50 * gigabyte }
  const sample = sampleOf([], { host, ownBytes: gigabyte })
  const engines = [modelState({ modelId: 'a/b', promptBytes: 2 * gigabyte })]
  const { memory: bar } = machinePicture({ known: new Map(), sample, engines, pools: [], nowMs: 0 })
  expect(bar).toMatchObject({ serverBytes: 3 * gigabyte, otherBytes: 11 * gigabyte })
})

test('a device that the driver does not name any more is lost; the others keep their numbers', () => {
  const second = device(1)
  const known = knownAfter([device(0), second], [{ ...second, id: 'gpu0' }])
  const { devices } = machinePicture({ known, sample: sampleOf([]), engines: [], pools: [], nowMs: 2_000 })
  expect(devices.map(({ id, state, sampledAtMs }) => ({ id, state, sampledAtMs }))).toEqual([
    { id: 'gpu0', state: 'lost', sampledAtMs: 0 },
    { id: 'gpu1', state: 'ok', sampledAtMs: 2_000 },
  ])
})

test('a driver that does not answer leaves the last figures, whose age tells', () => {
  const known = knownAfter([device(0)], 'unknown', 'unknown')
  const at = (nowMs: number) =>
    machinePicture({ known, sample: sampleOf('unknown'), engines: [], pools: [], nowMs }).devices[0]
  expect(at(3_000)).toMatchObject({ state: 'ok', sampledAtMs: 0 })
  expect(at(4_000)).toMatchObject({ state: 'unknown', sampledAtMs: 0, loadPercent: 87 })
})

test('a device that only engines see is there without figures', () => {
  const pools = [
    {
      id: 'gpu0',
      reservedBytes: 0,
      totalBytes: 8 * gigabyte,
      freeBytes: 6 * gigabyte,
      keptBytes: 0,
      roomBytes: 0,
      foreignBytes: 0,
      isFrozen: false,
    },
  ]
  const { devices } = machinePicture({ known: new Map(), sample: sampleOf([]), engines: [], pools, nowMs: 0 })
  expect(devices).toMatchObject([{ id: 'gpu0', kind: 'unknown', state: 'ok', otherBytes: 2 * gigabyte }])
})
