/** NVIDIA's libraries that inferd's GPU libraries open, by the exact names that the loader asks for. */

/** Users of the libraries: llama.cpp's builds for CUDA 13 and 12, and ONNX Runtime's provider for CUDA 13. */
export type NvidiaUse = 'llama-cuda-13' | 'llama-cuda-12' | 'onnx-cuda-13'

interface NvidiaLibrary {
  readonly soname: string
  /** Users that cannot be loaded without the library. */
  readonly neededBy: readonly NvidiaUse[]
  /** Users that open the library at run time, for some models only. */
  readonly optionalFor: readonly NvidiaUse[]
  /** Name of the wheel that holds it. Absent if inferd does not fetch it. */
  readonly wheel?: string
}

const cuda13: readonly NvidiaUse[] = ['llama-cuda-13', 'onnx-cuda-13']
const cudnnParts = [
  '',
  '_adv',
  '_cnn',
  '_engines_precompiled',
  '_engines_runtime_compiled',
  '_engines_tensor_ir',
  '_ext',
  '_graph',
  '_heuristic',
  '_ops',
]

export interface NvidiaLicense {
  readonly id: string
  readonly url: string
  /** Name of the file with its text in a bundle. */
  readonly name: string
}

const cudaLicense: NvidiaLicense = {
  id: 'LicenseRef-NVIDIA-CUDA',
  url: 'https://docs.nvidia.com/cuda/eula/',
  name: 'nvidia-cuda',
}
const cudnnLicense: NvidiaLicense = {
  id: 'LicenseRef-NVIDIA-cuDNN',
  url: 'https://docs.nvidia.com/deeplearning/cudnn/backend/latest/reference/eula.html',
  name: 'nvidia-cudnn',
}

/** Returns the licences of libraries, or of wheels with them. */
export function licensesOf(names: readonly string[]): readonly NvidiaLicense[] {
  const isCudnn = (name: string) => /^(lib|nvidia.)cudnn/.test(name)
  return [
    ...(names.some((name) => !isCudnn(name)) ? [cudaLicense] : []),
    ...(names.some(isCudnn) ? [cudnnLicense] : []),
  ]
}

export const nvidiaLibraries: readonly NvidiaLibrary[] = [
  { soname: 'libcudart.so.13', neededBy: cuda13, optionalFor: [], wheel: 'nvidia-cuda-runtime' },
  { soname: 'libcublas.so.13', neededBy: cuda13, optionalFor: [], wheel: 'nvidia-cublas' },
  { soname: 'libcublasLt.so.13', neededBy: cuda13, optionalFor: [], wheel: 'nvidia-cublas' },
  { soname: 'libcurand.so.10', neededBy: ['onnx-cuda-13'], optionalFor: [], wheel: 'nvidia-curand' },
  ...cudnnParts.map((part) => ({
    soname: `libcudnn${part}.so.9`,
    neededBy: [],
    optionalFor: ['onnx-cuda-13' as const],
    wheel: 'nvidia-cudnn-cu13',
  })),
  { soname: 'libcufft.so.12', neededBy: [], optionalFor: ['onnx-cuda-13'], wheel: 'nvidia-cufft' },
  { soname: 'libnvrtc.so.13', neededBy: [], optionalFor: ['onnx-cuda-13'], wheel: 'nvidia-cuda-nvrtc' },
  { soname: 'libcudart.so.12', neededBy: ['llama-cuda-12'], optionalFor: [] },
  { soname: 'libcublas.so.12', neededBy: ['llama-cuda-12'], optionalFor: [] },
  { soname: 'libcublasLt.so.12', neededBy: ['llama-cuda-12'], optionalFor: [] },
]

/** Library that libnvrtc opens by its file name, which has a version. */
const nvrtcBuiltins = /^libnvrtc-builtins\.so\.13\.\d+$/

/** Returns whether inferd keeps a library of this name. */
export function isNvidiaLibrary(soname: string): boolean {
  return nvidiaLibraries.some((library) => library.soname === soname) || nvrtcBuiltins.test(soname)
}

/** Returns whether inferd can fetch it from NVIDIA. */
export function isFetched(name: string): boolean {
  return nvidiaLibraries.some(({ soname, wheel }) => soname === name && wheel !== undefined)
}

/** Returns names as a list in words: `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** Returns the names of the libraries without which a user cannot be loaded. */
export function neededBy(use: NvidiaUse): string[] {
  return nvidiaLibraries.filter((library) => library.neededBy.includes(use)).map(({ soname }) => soname)
}
