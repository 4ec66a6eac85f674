/** Memory on each device and in the machine, by owner. Pure. */
import type { DeviceBar, MachinePicture, MemoryBar, ModelPart } from '../core/live.ts'
import type { PoolId } from '../core/memory.ts'
import type { ModelState } from '../core/model-state.ts'
import type { MemoryPoolReport } from '../engines/pool.ts'
import type { DeviceFigures } from '../machine/device-figures.ts'
import type { MachineSample } from '../machine/sample-machine.ts'

/** Device with the figures of its last answer. */
export interface KnownDevice extends DeviceFigures {
  readonly sampledAtMs: number
  readonly isLost: boolean
}

/** Age of figures from which a device counts as not answering. Samples come every 2 seconds. */
const staleAfterMs = 3_500

/**
 * Returns all devices seen so far, by uuid, after a sample. Devices that the sample lacks are lost. A device keeps its
 * id.
 */
export function afterSample(
  known: ReadonlyMap<string, KnownDevice>,
  { devices }: Pick<MachineSample, 'devices'>,
  atMs: number,
): ReadonlyMap<string, KnownDevice> {
  if (devices === 'unknown') return known
  const after = new Map([...known].map(([uuid, device]) => [uuid, { ...device, isLost: true }]))
  for (const figures of devices) {
    const id = known.get(figures.uuid)?.id ?? figures.id
    after.set(figures.uuid, { ...figures, id, sampledAtMs: atMs, isLost: false })
  }
  return after
}

interface PictureFacts {
  readonly known: ReadonlyMap<string, KnownDevice>
  readonly sample: MachineSample
  readonly engines: readonly ModelState[]
  readonly pools: readonly MemoryPoolReport[]
  readonly nowMs: number
}

export function machinePicture({ known, sample, engines, pools, nowMs }: PictureFacts): MachinePicture {
  const devices = [...known.values()].map((device) => deviceBar(device, engines, poolOf(pools, device.id), nowMs))
  const others = pools.filter(({ id }) => id !== 'host' && !devices.some((device) => device.id === id))
  return {
    atMs: nowMs,
    devices: [...devices, ...others.map((pool) => poolBar(pool, engines))].sort((a, b) => (a.id < b.id ? -1 : 1)),
    memory: hostBar(sample, engines, poolOf(pools, 'host')),
    disk: sample.disk,
  }
}

function deviceBar(
  device: KnownDevice,
  engines: readonly ModelState[],
  pool: MemoryPoolReport | undefined,
  nowMs: number,
): DeviceBar {
  const { id, name, kind, totalBytes, loadPercent, temperatureC, powerW, sampledAtMs, isLost, processBytes } = device
  const models = engines.flatMap((engine) => partOf(engine, id, processBytes.get(engine.pid ?? -1)))
  const freeBytes = device.freeBytes ?? pool?.freeBytes
  const state = isLost ? 'lost' : nowMs - sampledAtMs > staleAfterMs ? 'unknown' : 'ok'
  return {
    id,
    name,
    kind,
    state,
    sampledAtMs,
    loadPercent,
    temperatureC,
    powerW,
    totalBytes,
    freeBytes,
    ...restOf(models, { totalBytes, freeBytes, pool }),
    models,
  }
}

/** Returns the bar of a device that only engines see, as for makers whose drivers are not queried. */
function poolBar(pool: MemoryPoolReport, engines: readonly ModelState[]): DeviceBar {
  const { id, totalBytes, freeBytes } = pool
  const models = engines.flatMap((engine) => partOf(engine, id, undefined))
  return {
    id,
    name: id,
    kind: 'unknown',
    state: totalBytes === undefined ? 'unknown' : 'ok',
    sampledAtMs: undefined,
    loadPercent: undefined,
    temperatureC: undefined,
    powerW: undefined,
    totalBytes,
    freeBytes,
    ...restOf(models, { totalBytes, freeBytes, pool }),
    models,
  }
}

/**
 * Returns the host's bar. Counts engines' mapped files as the models' memory, although the kernel counts them as free
 * page cache, so that all parts add up to the total.
 */
function hostBar(
  { host, processes, ownBytes }: MachineSample,
  engines: readonly ModelState[],
  pool: MemoryPoolReport | undefined,
): MachinePicture['memory'] {
  const models = engines.flatMap((engine) => partOf(engine, 'host', processes.get(engine.pid ?? -1)?.residentBytes))
  const serverBytes = ownBytes + sum(engines.map(({ promptBytes }) => promptBytes))
  const used = [...processes.values()]
  const mappedBytes = sum(used.map(({ residentBytes, privateBytes }) => residentBytes - privateBytes))
  const freeBytes = host && Math.max(0, host.freeBytes - mappedBytes)
  const { reservedBytes, otherBytes } = restOf(models, { totalBytes: host?.totalBytes, freeBytes, pool })
  return {
    id: 'host',
    totalBytes: host?.totalBytes,
    freeBytes,
    serverBytes,
    reservedBytes,
    otherBytes: otherBytes === undefined ? undefined : Math.max(0, otherBytes - serverBytes),
    models,
  }
}

function restOf(
  models: readonly ModelPart[],
  {
    totalBytes,
    freeBytes,
    pool,
  }: Partial<Pick<MemoryPoolReport, 'totalBytes' | 'freeBytes'>> & {
    readonly pool: MemoryPoolReport | undefined
  },
): Pick<MemoryBar, 'reservedBytes' | 'otherBytes'> {
  const usedBytes = sum(
    models.map(({ weightsBytes, cacheBytes, otherBytes }) => weightsBytes + cacheBytes + otherBytes),
  )
  return {
    reservedBytes: Math.max(0, (pool?.reservedBytes ?? 0) - usedBytes),
    otherBytes:
      totalBytes === undefined || freeBytes === undefined ? undefined : Math.max(0, totalBytes - freeBytes - usedBytes),
  }
}

/**
 * Returns a model's part. `measuredBytes`: memory that the engine process uses in this pool. If undefined, the engine's
 * own numbers count, if any.
 */
function partOf(engine: ModelState, pool: PoolId, measuredBytes: number | undefined): ModelPart[] {
  const told = engine.info?.memory?.[pool]
  if (told === undefined && measuredBytes === undefined) return []
  const { modelBytes = 0, contextBytes = 0, computeBytes = 0 } = told ?? {}
  const allBytes = measuredBytes ?? modelBytes + contextBytes + computeBytes
  const weightsBytes = Math.min(modelBytes, allBytes)
  const cacheBytes = Math.min(contextBytes, allBytes - weightsBytes)
  return [
    {
      model: engine.modelId,
      weightsBytes,
      cacheBytes,
      otherBytes: allBytes - weightsBytes - cacheBytes,
      isMeasured: measuredBytes !== undefined,
    },
  ]
}

function poolOf(pools: readonly MemoryPoolReport[], id: PoolId): MemoryPoolReport | undefined {
  return pools.find((pool) => pool.id === id)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
