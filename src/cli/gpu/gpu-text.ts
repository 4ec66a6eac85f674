import type { JudgedBackend } from '../../engines/protocol/backend.ts'
import { type GpuSigns, gpuSignWords, hasAnyGpu } from '../../machine/gpu-signs.ts'
import type { NvidiaCard } from '../../machine/nvidia-cards.ts'
import type { NvidiaLibraries } from '../../nvidia/find-libraries.ts'

interface ShownGpu {
  readonly signs: GpuSigns
  readonly cards: readonly NvidiaCard[]
  readonly libraries: NvidiaLibraries
  readonly backends: readonly JudgedBackend[]
}

/** Returns the sentences above the table of backends: driver, cards, NVIDIA's libraries, the next step. Pure. */
export function gpuText({ signs, cards, libraries, backends }: ShownGpu): readonly string[] {
  if (!hasAnyGpu(signs))
    return ['No GPU: no NVIDIA driver is loaded, and /dev/dri has no device. In a container, pass the card in.']
  return [
    `${gpuSignWords(signs)} is here.`,
    ...cards.map(({ name, computeCapability }) => `Card: ${name}, compute capability ${computeCapability}.`),
    ...(signs.nvidiaDriver === undefined ? [] : libraryLines(libraries)),
    ...nextSteps(backends),
  ]
}

function libraryLines({ found, missing }: NvidiaLibraries): readonly string[] {
  const lacking = [...new Set([...missing['llama-cuda-13'], ...missing['onnx-cuda-13']])]
  return [
    ...(found.length === 0 ? [] : [`NVIDIA's libraries here: ${found.map(({ soname }) => soname).join(', ')}.`]),
    ...(lacking.length === 0 ? [] : [`NVIDIA's libraries that are missing for CUDA 13: ${lacking.join(', ')}.`]),
  ]
}

function nextSteps(backends: readonly JudgedBackend[]): readonly string[] {
  const onGpu = backends.filter(({ backend }) => backend !== 'cpu')
  if (onGpu.length === 0) return ['This program has no library that computes on it: models use the CPU.']
  if (onGpu.some(({ verdict }) => verdict.state !== 'untried')) return []
  return ["Nothing was tried on it yet: 'inferd gpu probe' does, as the first load of a model."]
}
