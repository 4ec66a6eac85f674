/** The backends that ONNX Runtime can use here, by the libraries on this disk, the best first. */

import { type BackendCandidate, deviceIndices, type JudgedBackend, type RuntimePaths } from '../protocol/backend.ts'
import type { DeviceSetting } from './choose-backend.ts'
import { cudaProvider } from './cuda-provider.ts'

/**
 * Operators of a model: text models need only matrices; speech and diarization also need convolutions, for which CUDA
 * needs cuDNN.
 */
export type OnnxNeeds = 'matrices' | 'convolutions'

/** Id of the candidate with all operators. `withoutCudnn` is tried where cuDNN is missing. */
export const withCudnn = 'cuda'
export const withoutCudnn = 'cuda-without-cudnn'

export function onnxCandidates({ onnxRuntime }: Pick<RuntimePaths, 'onnxRuntime'>): readonly BackendCandidate[] {
  const { path: library, isThere } = cudaProvider(onnxRuntime)
  const cuda = { kind: 'onnx', backend: 'cuda', library } as const
  const cpu = { id: 'cpu', kind: 'onnx', backend: 'cpu', label: 'ONNX Runtime on the CPU' } as const
  if (!isThere) return [cpu]
  return [
    { id: withCudnn, ...cuda, label: 'ONNX Runtime on CUDA' },
    { id: withoutCudnn, ...cuda, label: 'ONNX Runtime on CUDA without cuDNN' },
    cpu,
  ]
}

/** Returns whether speech computes on a GPU, if the device setting allows it. */
export function usesGpuForSpeech(judged: readonly JudgedBackend[], device: DeviceSetting): boolean {
  if (device === 'cpu' || device === 'vulkan') return false
  return (
    'devices' in
    onnxDevices(
      judged.filter(({ kind }) => kind === 'onnx'),
      'convolutions',
    )
  )
}

/** Returns the devices that meet the needs, or the reason why there is none. */
export function onnxDevices(
  judged: readonly JudgedBackend[],
  needs: OnnxNeeds,
): { readonly devices: readonly number[] } | { readonly reason: string } {
  const wanted = judged.filter(({ id, backend }) => backend === 'cuda' && (needs === 'matrices' || id === withCudnn))
  for (const { verdict } of wanted) if (verdict.state === 'computes') return { devices: deviceIndices(verdict.devices) }
  // The last candidate needs only matrices, so its reason is the more general one.
  const failed = wanted.findLast(({ verdict }) => verdict.state === 'fails')
  if (failed?.verdict.state === 'fails') return { reason: `${failed.verdict.reason}; ${failed.verdict.nextStep}` }
  return { reason: wanted.length === 0 ? 'this program has no CUDA provider' : 'there is no NVIDIA device' }
}
