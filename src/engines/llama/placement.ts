/** Placement of a llama model in memory, as the loader takes it. */
import type { Placement, PoolId } from '../../core/memory.ts'
import type { InstalledModel } from '../../core/model.ts'
import type { EngineDevice } from '../protocol/backend.ts'
import { LoadError } from '../protocol/load-error.ts'
import type { NativeLoadOptions } from './native.ts'

export interface LlamaPlacement {
  /** Indices of the devices that hold layers. Empty means that the CPU computes everything. */
  readonly devices: readonly number[]
  /** Share of the layers by device, in any unit. */
  readonly deviceShares: readonly number[]
  /** Number of the model's last layers that lie on the devices, the output counted as one. -1 means all. */
  readonly gpuLayers: number
  /** Number of first blocks whose experts' weights stay in host memory. */
  readonly cpuExpertBlocks: number
  /** True if the CPU computes the projector instead of the first device. */
  readonly isProjectorOnCpu: boolean
  /** True if the CPU reads the weights from the mapped file. */
  readonly isMapped: boolean
  /** Tokens computed at once. 0 means as many as a batch has. */
  readonly microBatchTokens: number
}

export const onCpu: LlamaPlacement = {
  devices: [],
  deviceShares: [],
  gpuLayers: 0,
  cpuExpertBlocks: 0,
  isProjectorOnCpu: false,
  isMapped: true,
  microBatchTokens: 0,
}

/** Returns whether the CPU computes layers, experts or pictures. */
export function usesCpu({ devices, gpuLayers, cpuExpertBlocks, isProjectorOnCpu }: LlamaPlacement): boolean {
  return devices.length === 0 || gpuLayers >= 0 || cpuExpertBlocks > 0 || isProjectorOnCpu
}

/** Returns whether the CPU computes no part of the language model. */
export function isAllOnDevices({ devices, gpuLayers, cpuExpertBlocks }: LlamaPlacement): boolean {
  return devices.length > 0 && gpuLayers < 0 && cpuExpertBlocks === 0
}

/** Returns the default placement: all layers on all devices. llama.cpp then distributes the layers by free memory. */
export function onAllDevices(devices: readonly number[]): LlamaPlacement {
  return devices.length === 0 ? onCpu : { ...onCpu, devices, gpuLayers: -1, isMapped: false }
}

/** Reads a placement that was put into `Placement.load`. */
export function readPlacement(load: Placement['load']): LlamaPlacement {
  return { ...onCpu, ...load }
}

/** Tensors of the experts of one block, as llama.cpp names them. */
const expertTensors = '\\.ffn_(up|down|gate|gate_up)_(ch|)exps'

export function loadOptions(
  path: string,
  placement: LlamaPlacement,
  {
    noAlloc = false,
    vocabularyOnly = false,
    draftHead = false,
  }: Partial<Pick<NativeLoadOptions, 'noAlloc' | 'vocabularyOnly' | 'draftHead'>> = {},
): NativeLoadOptions {
  const { devices, deviceShares, gpuLayers, cpuExpertBlocks, isMapped } = placement
  return {
    path,
    devices,
    deviceShares,
    gpuLayers,
    cpuTensors: Array.from({ length: cpuExpertBlocks }, (_, block) => `blk\\.${block}${expertTensors}`),
    loadMode: isMapped ? 'mmap' : 'buffered',
    noAlloc,
    vocabularyOnly,
    draftHead,
  }
}

/** Returns the path of the model's file, or of its first part, which names the others. */
export function modelPath({ manifest, filePaths }: InstalledModel): string {
  if (filePaths.model === undefined)
    throw new LoadError('bad-model', `the manifest of ${manifest.id} names no file with role "model"`)
  return filePaths.model
}

/** Returns a function from a device to its memory pool: its own, unless it is integrated. -1 is the host. */
export function poolOfDevice(devices: readonly Pick<EngineDevice, 'isIntegrated'>[]): (device: number) => PoolId {
  return (index) => (devices[index]?.isIntegrated === false ? `gpu${index}` : 'host')
}
