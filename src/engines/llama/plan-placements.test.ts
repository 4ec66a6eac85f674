/** Placements on other machines: the dry run is a formula. */
import { afterEach, expect, test } from 'bun:test'
import type { MemoryBytes } from '../../core/memory.ts'
import { type LlamaPlacement, onCpu } from './placement.ts'
import { planPlacements } from './plan-placements.ts'

interface Machine {
  readonly gpus: readonly number[]
  readonly host?: number
}

/**
 * Layers of size 1, of which experts are 0.8, and an output of size 1. Each place that computes layers needs 1 more.
 */
const layers = 40
const expertPart = 0.8

/** Size of the projector of a model that sees; 0 for others. */
let projectorPart = 0

afterEach(() => {
  projectorPart = 0
})

function needOf(placement: LlamaPlacement): MemoryBytes {
  const { devices, deviceShares, gpuLayers, cpuExpertBlocks, microBatchTokens, isProjectorOnCpu } = placement
  const isOnHost = isProjectorOnCpu || devices.length === 0
  const onGpu = gpuLayers < 0 ? layers + 1 : gpuLayers
  const experts = cpuExpertBlocks * expertPart
  const rest = microBatchTokens === 0 ? 1 : 0.5
  const total = deviceShares.reduce((sum, share) => sum + share, 0)
  const parts = devices.map((index, at) => {
    const share = (deviceShares[at] ?? 0) / total
    const projector = at === 0 && !isOnHost ? projectorPart : 0
    return [`gpu${index}`, (onGpu - experts) * share + rest + projector] as const
  })
  return { host: layers + 1 - onGpu + experts + 1 + (isOnHost ? projectorPart : 0), ...Object.fromEntries(parts) }
}

async function placementsOn({ gpus, host = 100 }: Machine, hasExperts = false) {
  const placements = await planPlacements({
    devices: gpus.map((_, index) => ({ index, pool: `gpu${index}` })),
    budgetBytes: { host, ...Object.fromEntries(gpus.map((bytes, index) => [`gpu${index}`, bytes])) },
    layers,
    hasExperts,
    hasProjector: projectorPart > 0,
    onHost: { load: onCpu, needBytes: needOf(onCpu) },
    tryOut: async (placement) => needOf(placement),
  })
  return placements.map(({ label, rank }) => `${rank}: ${label}`)
}

test('small batches of a model that sees take the pictures that it must read at once', async () => {
  const micro = async (part: number) => {
    projectorPart = part
    const placements = await planPlacements({
      devices: [{ index: 0, pool: 'gpu0' }],
      budgetBytes: { host: 100, gpu0: 45 },
      ...{ layers, hasExperts: false, hasProjector: part > 0 },
      onHost: { load: onCpu, needBytes: needOf(onCpu) },
      tryOut: async (placement) => needOf(placement),
    })
    return placements.map(({ load }) => load?.microBatchTokens)
  }
  expect(await micro(0)).toEqual([0, 128, 0])
  expect(await micro(10)).toEqual([0, 256, 0])
})

test('without a device there is one placement', async () => {
  expect(await placementsOn({ gpus: [] })).toEqual(['0: CPU'])
})

test('a model that fits one device lies on one, whichever has room', async () => {
  expect(await placementsOn({ gpus: [50, 10, 60] })).toEqual([
    '0: gpu0',
    '0: gpu2',
    '1: gpu0, small batches',
    '1: gpu2, small batches',
    '2: CPU',
  ])
})

test('a larger one is spread over as few as hold it', async () => {
  expect(await placementsOn({ gpus: [20, 30, 25, 20] })).toEqual([
    '0: gpu1 + gpu2',
    '1: gpu1 + gpu2, small batches',
    '2: CPU',
  ])
})

test('where no devices hold it, as few experts as possible go to the CPU', async () => {
  const [best] = await placementsOn({ gpus: [20] }, true)
  expect(best).toBe('0: gpu0, 28 of 40 expert blocks on the CPU')
})

test('where it has no experts, as few layers as possible go there', async () => {
  const [best] = await placementsOn({ gpus: [20] })
  expect(best).toBe('0: gpu0, 22 of 40 layers on the CPU')
  expect(await placementsOn({ gpus: [8] }, true)).toContainEqual('0: gpu0, 34 of 40 layers on the CPU')
})

test('one block or one layer, where that is enough', async () => {
  expect(await placementsOn({ gpus: [41.5] }, true)).toContainEqual('0: gpu0, 1 of 40 expert blocks on the CPU')
  expect(await placementsOn({ gpus: [41.5] })).toContainEqual('0: gpu0, 1 of 40 layers on the CPU')
})

test('what a device holds is read, not mapped', async () => {
  const placements = await planPlacements({
    ...{
      devices: [{ index: 0, pool: 'gpu0' }],
      budgetBytes: { host: 100, gpu0: 100 },
      layers,
      ...{ hasExperts: false, hasProjector: false },
    },
    onHost: { load: onCpu, needBytes: needOf(onCpu) },
    tryOut: async (placement) => needOf(placement),
  })
  expect(placements.map(({ load }) => load.isMapped)).toEqual([false, false, true])
})

test('what fits nowhere is still told for the CPU', async () => {
  expect(await placementsOn({ gpus: [1], host: 10 })).toEqual(['0: CPU'])
})

test('the projector lies on the first device, and leaves it before layers and experts do', async () => {
  projectorPart = 5
  expect(await placementsOn({ gpus: [50] })).toEqual(['0: gpu0', '1: gpu0, projector on the CPU', '2: CPU'])
  expect(await placementsOn({ gpus: [44] })).toEqual([
    '0: gpu0, projector on the CPU',
    '1: gpu0, projector on the CPU, small batches',
    '2: CPU',
  ])
  expect(await placementsOn({ gpus: [30, 30] })).toContainEqual('0: gpu0 + gpu1')
  expect(await placementsOn({ gpus: [20] }, true)).toContainEqual(
    '0: gpu0, projector on the CPU, 28 of 40 expert blocks on the CPU',
  )
  expect(await placementsOn({ gpus: [20] })).toContainEqual('0: gpu0, projector on the CPU, 22 of 40 layers on the CPU')
})

test('a projector that even the host has no room for leaves the model where it is told', async () => {
  projectorPart = 30
  expect(await placementsOn({ gpus: [50], host: 20 })).toEqual(['0: CPU'])
})
