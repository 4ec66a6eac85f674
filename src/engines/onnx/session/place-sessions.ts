import type { Placement } from '../../../core/memory.ts'
import type { Values } from '../../../core/setting.ts'
import { cudaProvider } from '../../backends/cuda-provider.ts'
import { type OnnxNeeds, onnxDevices } from '../../backends/onnx-candidates.ts'
import type { PlacementRequest } from '../../protocol/engine.ts'
import { LoadError } from '../../protocol/load-error.ts'
import type { sharedSettings } from '../../shared/shared-settings.ts'
import type { ModelBytes } from './model-bytes.ts'

const mebibyte = 1024 * 1024

/** Factor on GPU memory: ONNX Runtime's pool grows by doubling and never shrinks, and the driver takes its part. */
const gpuFactor = 1.5
const gpuBytes = 1024 * mebibyte
/** Host memory of a process that computes on a GPU, for the driver's and CUDA's libraries. */
const gpuProcessBytes = 1024 * mebibyte
/** Copies of a graph in host memory during its load: the file's content, possibly changed, and ONNX Runtime's own. */
const graphCopies = 2

type Request = PlacementRequest<Values<Pick<typeof sharedSettings, 'device'>>>

/**
 * Returns the placements on each GPU that computes and on the CPU, as settings, devices and libraries allow. Passes to
 * `onCpu` why there is no GPU if one is expected. Throws a `LoadError` if CUDA is demanded and cannot compute even
 * matrices.
 */
export function placeSessions(
  { settings, runtime, budgetBytes }: Pick<Request, 'settings' | 'runtime' | 'budgetBytes'>,
  bytes: ModelBytes,
  needs: OnnxNeeds,
  onCpu: (noGpuBecause?: string) => Placement,
): readonly Placement[] {
  if (settings.device === 'cpu' || settings.device === 'vulkan') return [onCpu()]
  const present = Object.keys(budgetBytes).flatMap((pool) => /^gpu(\d+)$/.exec(pool)?.[1] ?? [])
  const found = usableDevices(runtime, needs)
  const devices = present.filter((index) => 'devices' in found && (found.devices?.includes(Number(index)) ?? true))
  if (devices.length > 0) return [...devices.map((index) => onGpu(Number(index), bytes)), onCpu()]
  const noDevice =
    present.length > 0 ? "no card that it could use computes; see 'inferd gpu'" : 'there is no NVIDIA device'
  const reason = 'reason' in found ? found.reason : noDevice
  if (settings.device === 'cuda' && needs === 'matrices' && runtime.backends !== undefined) {
    throw new LoadError('other', `device 'cuda' cannot be used: ${reason}. Or choose --device auto or cpu`)
  }
  // No reason is given where nobody expects a GPU.
  const isMissed = present.length > 0 || settings.device === 'cuda'
  return [onCpu(isMissed ? reason : undefined)]
}

/** Returns the devices that computed in a probe. Without a probe, all devices count if the provider is there. */
function usableDevices(
  runtime: Request['runtime'],
  needs: OnnxNeeds,
): ReturnType<typeof onnxDevices> | { readonly devices: undefined } {
  const judged = runtime.backends?.onnx
  if (judged !== undefined) return onnxDevices(judged, needs)
  const { path, isThere } = cudaProvider(runtime.onnxRuntime)
  return isThere ? { devices: undefined } : { reason: `${path} is not there` }
}

export function onGpu(index: number, { graphBytes, besideBytes }: ModelBytes): Placement {
  const deviceBytes = Math.ceil((graphBytes + besideBytes) * gpuFactor) + gpuBytes
  return {
    key: `gpu${index}`,
    label: `gpu${index}`,
    needBytes: { [`gpu${index}`]: deviceBytes, host: gpuProcessBytes + graphCopies * graphBytes },
    rank: 0,
    load: { device: 'cuda', deviceIndex: index },
  }
}
