/**
 * Probes whether ONNX Runtime's CUDA provider computes: small graphs on each device, compared with the CPU's results.
 */

import { errorText } from '../../core/error-text.ts'
import { withCudnn } from '../backends/onnx-candidates.ts'
import type { ProbeBackend } from '../protocol/backend.ts'
import { convolutionGraph, matrixGraph } from './session/probe-graphs.ts'
import { probeProvider } from './session/probe-provider.ts'

export const probeOnnx: ProbeBackend = async ({ onnxRuntime: binding }, { id }, deviceIndex) => {
  const matrices = probeProvider({ binding, provider: 'cuda', graph: matrixGraph, deviceIndex })
  const count = id === withCudnn ? Math.min(matrices, convolutions(binding, deviceIndex)) : matrices
  const indices = deviceIndex === undefined ? Array.from({ length: count }, (_, index) => index) : [deviceIndex]
  return indices.map((index) => ({ name: `CUDA${index}`, index }))
}

function convolutions(binding: string, deviceIndex: number | undefined): number {
  try {
    return probeProvider({ binding, provider: 'cuda', graph: convolutionGraph, deviceIndex })
  } catch (error) {
    const message = errorText(error)
    throw new Error(`a convolution was not computed (matrices were): ${message}`)
  }
}
