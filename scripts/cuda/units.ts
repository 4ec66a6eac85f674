import { basename, join, relative } from 'node:path'
import { Glob } from 'bun'
import type { Unit } from '../native/compile.ts'

/** Architectures of a released executable, from Turing to Blackwell. Code of a name with `a` runs only on that card. */
export const releaseArchitectures = ['75', '80', '86', '89', '90', '100', '120a', '121a']

/** Types of K and V that caches may have. */
const cacheTypes = ['q4_0', 'q4_1', 'q5_0', 'q5_1', 'q8_0', 'bf16', 'f16']
/** Pairs of K and V types that flash attention is compiled for, as llama.cpp's own build chooses them. */
const attentionPairs = ['q4_0-q4_0', 'q8_0-q8_0', 'f16-f16', 'bf16-bf16']

const sources = [
  '*.cu',
  ...['fattn-tile', 'fattn-mma', 'mmq', 'mmf'].map((name) => `template-instances/${name}*.cu`),
  ...attentionPairs.map((pair) => `template-instances/fattn-vec-instance-${pair}.cu`),
]

const defines = [
  ...['NDEBUG', 'GGML_CUDA_USE_GRAPHS', 'GGML_BACKEND_DL', 'GGML_BACKEND_BUILD', 'GGML_BACKEND_SHARED', 'GGML_SHARED'],
  'GGML_SCHED_MAX_COPIES=4',
  `GGML_CUDA_FA_QUANTS="${attentionPairs.join(',')}"`,
  ...cacheTypes.flatMap((key) => cacheTypes.map((value) => attentionDefine(key, value))),
]

export interface UnitInputs {
  /** Folder that the compiler runs in. */
  readonly root: string
  /** Unpacked source of llama.cpp. */
  readonly llamaCpp: string
  readonly architectures: readonly string[]
  /** Folder with declarations that the toolkit lacks. */
  readonly declarations: string | undefined
}

/** Returns the files of ggml-cuda and how each is compiled, in the order of their names. */
export function cudaUnits({ root, llamaCpp, architectures, declarations }: UnitInputs): Unit[] {
  const folder = join(llamaCpp, 'ggml', 'src', 'ggml-cuda')
  const files = sources.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: folder })]).sort()
  const includes = [
    ...['ggml/include', 'ggml/src'].map((path) => join(llamaCpp, path)),
    folder,
    ...(declarations === undefined ? [] : [declarations]),
  ]
  const flags = [
    ...['-O3', '-std=c++17', '-use_fast_math', '-extended-lambda', '-compress-mode=size'],
    ...['-Xcompiler', '-fPIC', '-w'],
    ...architectureFlags(architectures),
    ...includes.map((path) => `-I${relative(root, path)}`),
    ...defines.map((define) => `-D${define}`),
  ]
  return files.map((file) => ({ source: relative(root, join(folder, file)), name: basename(file, '.cu'), flags }))
}

/**
 * Returns nvcc's flags: machine code for each architecture, and if a release's are all built also PTX of 90 last, which
 * the drivers of newer cards compile.
 */
export function architectureFlags(architectures: readonly string[]): string[] {
  const machineCode = architectures.map((name) => `-gencode=arch=compute_${name},code=sm_${name}`)
  const isRelease = releaseArchitectures.every((name) => architectures.includes(name))
  return isRelease ? [...machineCode, '-gencode=arch=compute_90,code=compute_90'] : machineCode
}

function attentionDefine(key: string, value: string): string {
  const isCompiled = attentionPairs.includes(`${key}-${value}`) ? 1 : 0
  return `GGML_CUDA_FA_${key.toUpperCase()}_${value.toUpperCase()}=${isCompiled}`
}
