/**
 * Where native libraries and starter models lie: in the checkout during development, in `<data>/runtime/<hash>` when
 * the executable runs. Both have one layout, so only the folder differs.
 */
import { join } from 'node:path'
import { embeddedFiles } from './embedded-files.ts'
import type { RuntimePaths } from './protocol.ts'
import { unpackRuntime } from './unpack-runtime.ts'

/** Paths inside the packages, for the machine that this runs on. */
export const onnxRuntimeBinding = `bin/napi-v6/linux/${process.arch}/onnxruntime_binding.node`
export const tokenizersBinding = `tokenizers.linux-${process.arch}-gnu.node`

const checkout = join(import.meta.dir, '..', '..')

/**
 * Paths an engine needs, after unpacking what the executable carries (about half a second, once per version; a few
 * file look-ups from then on). Throws an error that names the folder when the disk is full or can not be written.
 */
export async function runtimePaths(dataDir: string): Promise<RuntimePaths> {
  const embedded = embeddedFiles()
  const folder = embedded === undefined ? checkout : await unpackRuntime(embedded, runtimeParent(dataDir))
  return {
    nodeLlamaCpp: join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js'),
    addons: join(folder, 'build', 'native'),
    onnxRuntime: join(folder, 'node_modules', 'onnxruntime-node', onnxRuntimeBinding),
    tokenizers: join(folder, 'node_modules', 'tokenizers', tokenizersBinding),
  }
}

/**
 * Absolute path of a file that ships with the program, e.g. `models/starter/starter-chat-q8_0.gguf`. In the executable
 * it is there once `runtimePaths` has resolved; undefined when the program does not ship it.
 */
export function embeddedFilePath(dataDir: string, path: string): string | undefined {
  const embedded = embeddedFiles()
  if (embedded === undefined) return join(checkout, path)
  if (!embedded.files.some((file) => file.path === path)) return undefined
  return join(runtimeParent(dataDir), embedded.contentHash, path)
}

function runtimeParent(dataDir: string): string {
  return join(dataDir, 'runtime')
}
