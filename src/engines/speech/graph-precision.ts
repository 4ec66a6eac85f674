/**
 * Precision of a model's graphs, by exporters' file names: `encoder.int8.onnx`, `encoder.fp16.onnx`, `encoder.onnx`.
 */
import { existsSync, statSync } from 'node:fs'
import type { InstalledModel } from '../../core/model.ts'
import type { ModelBytes } from '../onnx/session/model-bytes.ts'

const eightBits = /([._-])(?:int8|uint8|q8|quantized)(?=[._-])/i

/** Replacements of the 8-bit suffix, the fastest on a GPU first. `$1` is the name before it. */
const forGpu = ['$1fp16', '']

/** Returns whether a graph has 8-bit nodes, for which ONNX Runtime's CUDA provider has no kernels. */
export function isEightBits(path: string): boolean {
  return path.endsWith('.onnx') && eightBits.test(path.slice(path.lastIndexOf('/') + 1))
}

/**
 * Returns the path of the same graph in half or single precision if it lies beside an 8-bit one; otherwise the given
 * path.
 */
export function pathForGpu(path: string, isThere: (path: string) => boolean = existsSync): string {
  if (!isEightBits(path)) return path
  const folderEnd = path.lastIndexOf('/') + 1
  const name = path.slice(folderEnd)
  const others = forGpu.map((precision) => `${path.slice(0, folderEnd)}${name.replace(eightBits, precision)}`)
  return others.find(isThere) ?? path
}

/**
 * Returns the file that a GPU load opens for a role: the model's GPU file if there is one, else `pathForGpu` of its
 * usual file.
 */
export function pathOnGpu({ gpuFilePaths }: Pick<InstalledModel, 'gpuFilePaths'>, role: string, path: string): string {
  return gpuFilePaths?.[role] ?? pathForGpu(path)
}

/** Returns the sizes of graphs and of their separate weight files. */
export function bytesOfGraphs(paths: readonly string[]): ModelBytes {
  const beside = paths.flatMap((path) => [`${path}.data`, `${path}_data`, path.replace(/\.onnx$/, '.weights')])
  const sum = (files: readonly string[]) =>
    files.reduce((bytes, file) => bytes + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  return { graphBytes: sum(paths), besideBytes: sum(beside) }
}
