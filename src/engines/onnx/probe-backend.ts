/** Shows that ONNX Runtime's CUDA provider computes: small graphs on each device, against the CPU's numbers. */
import type { ProbeBackend } from '../backends/backend.ts'
import { withCudnn } from '../backends/onnx-candidates.ts'
import { convolutionGraph, matrixGraph } from './session/probe-graphs.ts'
import { probeProvider } from './session/probe-provider.ts'

export const probeOnnx: ProbeBackend = async ({ onnxRuntime: binding }, { id }) => {
  const matrices = probeProvider({ binding, provider: 'cuda', graph: matrixGraph })
  const count = id === withCudnn ? Math.min(matrices, convolutions(binding)) : matrices
  return Array.from({ length: count }, (_, index) => ({ name: `CUDA${index}` }))
}

function convolutions(binding: string): number {
  try {
    return probeProvider({ binding, provider: 'cuda', graph: convolutionGraph })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`a convolution was not computed (matrices were): ${message}`)
  }
}
