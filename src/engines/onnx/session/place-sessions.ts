import type { Placement } from '../../../core/memory.ts'
import type { Values } from '../../../core/setting.ts'
import type { PlacementRequest } from '../../engine.ts'
import type { sharedSettings } from '../../shared-settings.ts'
import { cudaProvider } from './cuda-provider.ts'
import type { ModelBytes } from './model-bytes.ts'

const mebibyte = 1024 * 1024

/** ONNX Runtime's own pool of GPU memory grows by doubling and never shrinks, and the driver has its part. */
const gpuFactor = 1.5
const gpuBytes = 1024 * mebibyte
/** Of a process that computes on a GPU: the driver's and CUDA's libraries. */
const gpuProcessBytes = 1024 * mebibyte

type Request = PlacementRequest<Values<Pick<typeof sharedSettings, 'device'>>>

/** On each GPU and on the CPU, as settings, devices and libraries allow. `onCpu` is told why there is no GPU where one is expected. */
export function placeSessions(
  { settings, runtime, budgetBytes }: Pick<Request, 'settings' | 'runtime' | 'budgetBytes'>,
  bytes: ModelBytes,
  onCpu: (noGpuBecause?: string) => Placement,
): readonly Placement[] {
  const devices = Object.keys(budgetBytes).flatMap((pool) => /^gpu(\d+)$/.exec(pool)?.[1] ?? [])
  const { path: library, isThere } = cudaProvider(runtime.onnxRuntime)
  if (settings.device === 'cpu' || settings.device === 'vulkan') return [onCpu()]
  if (isThere && devices.length > 0) return [...devices.map((index) => onGpu(Number(index), bytes)), onCpu()]
  // Not where nobody expects a GPU to be used.
  const isMissed = devices.length > 0 || settings.device === 'cuda'
  return [onCpu(isMissed ? (isThere ? 'there is no NVIDIA device' : `${library} is not there`) : undefined)]
}

export function onGpu(index: number, { graphBytes, besideBytes }: ModelBytes): Placement {
  const deviceBytes = Math.ceil((graphBytes + besideBytes) * gpuFactor) + gpuBytes
  return {
    key: `gpu${index}`,
    label: `gpu${index}`,
    needBytes: { [`gpu${index}`]: deviceBytes, host: gpuProcessBytes },
    rank: 0,
    load: { device: 'cuda', deviceIndex: index },
  }
}
