/**
 * Finds native libraries and starter models: in the checkout during development, in `<data>/runtime/<hash>` when
 * the executable runs. Both have one layout, so only the folder differs.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { linkBesideBackend } from '../../nvidia/link-libraries.ts'
import type { RuntimePaths } from '../protocol/backend.ts'
import { embeddedFiles } from './embedded-files.ts'
import { unpackRuntime } from './unpack-runtime.ts'

const checkout = join(import.meta.dir, '..', '..', '..')

/** Paths of the native libraries below the checkout or runtime folder, on this machine. */
export const runtimeLayout: Omit<RuntimePaths, 'backends'> = {
  nodeLlamaCpp: 'node_modules/node-llama-cpp/package.json',
  llamaCore: `node_modules/@node-llama-cpp/linux-${process.arch}/bins/linux-${process.arch}/llama-addon.node`,
  addons: 'build/native',
  onnxRuntime: 'build/onnx/onnxruntime_binding.node',
  tokenizers: `node_modules/tokenizers/tokenizers.linux-${process.arch}-gnu.node`,
  sherpaOnnx: 'build/onnx/sherpa-onnx.node',
  starterVad: 'models/starter/starter-vad.onnx',
  starterChat: 'models/starter/starter-chat-q8_0.gguf',
}

const cudaBackend = `node_modules/@node-llama-cpp/linux-${process.arch}-cuda/bins/linux-${process.arch}-cuda`

/** Path below the runtime folder of llama.cpp's library for CUDA 13. */
export const llamaCudaLibrary = `${cudaBackend}/libggml-cuda.so`

/**
 * Returns the paths that an engine needs. Before, unpacks the executable's files (about half a second, once per
 * version) or verifies their checksums (a quarter of a second, once per process; a few file look-ups from then on).
 * Throws an error that names the folder if the disk is full or cannot be written.
 */
export async function runtimePaths(dataDir: string): Promise<RuntimePaths> {
  const embedded = embeddedFiles()
  const folder = embedded === undefined ? checkout : await unpackRuntime(embedded, runtimeParent(dataDir))
  // Not in a checkout, which several data folders share: there the loader's path finds the libraries.
  if (embedded !== undefined) linkBesideBackend(dataDir, join(folder, cudaBackend))
  return {
    nodeLlamaCpp: join(folder, runtimeLayout.nodeLlamaCpp),
    llamaCore: join(folder, runtimeLayout.llamaCore),
    addons: join(folder, runtimeLayout.addons),
    onnxRuntime: join(folder, runtimeLayout.onnxRuntime),
    tokenizers: join(folder, runtimeLayout.tokenizers),
    sherpaOnnx: join(folder, runtimeLayout.sherpaOnnx),
    starterVad: join(folder, runtimeLayout.starterVad),
    starterChat: join(folder, runtimeLayout.starterChat),
  }
}

/** Returns whether this program ships a file; `path` is its path in the checkout. */
export function isShipped(path: string): boolean {
  const embedded = embeddedFiles()
  return embedded === undefined ? existsSync(join(checkout, path)) : embedded.files.some((file) => file.path === path)
}

/**
 * Returns the absolute path of a file that ships with the program, such as `models/starter/starter-chat-q8_0.gguf`. In
 * the executable the file exists once `runtimePaths` has resolved. Undefined if the program does not ship it.
 */
export function embeddedFilePath(dataDir: string, path: string): string | undefined {
  const embedded = embeddedFiles()
  if (embedded === undefined) return join(checkout, path)
  return isShipped(path) ? join(runtimeParent(dataDir), embedded.contentHash, path) : undefined
}

function runtimeParent(dataDir: string): string {
  return join(dataDir, 'runtime')
}

/**
 * Returns `runtimePaths` for a server. Concurrent callers share one run; later calls run again, since another version
 * may have removed files.
 */
export function sharedRuntimePaths(dataDir: string): () => Promise<RuntimePaths> {
  let running: Promise<RuntimePaths> | undefined
  return () => {
    running ??= runtimePaths(dataDir).finally(() => {
      running = undefined
    })
    return running
  }
}
