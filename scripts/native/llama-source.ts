import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './tools.ts'

/**
 * Needed parts of llama.cpp: sources of the addon and of the CUDA backend, the templates that tests read, and the
 * licences.
 */
const wanted = [
  ...['common', 'include', 'ggml/include', 'models/templates', 'src', 'tools/mtmd', 'vendor'],
  ...['LICENSE', 'licenses', 'ggml/src/ggml-cpu/llamafile', 'ggml/src/ggml-cuda'],
  ...['ggml/src/ggml-backend-impl.h', 'ggml/src/ggml-common.h', 'ggml/src/ggml-impl.h'],
]

export interface LlamaSource {
  readonly folder: string
  /** llama.cpp's release from which the shipped libraries were built, such as `v0.5.0`. */
  readonly release: string
}

/** Unpacks the llama.cpp source that node-llama-cpp carries as a git bundle, once per release. */
export async function unpackLlamaSource(nodeLlamaCpp: string, build: string): Promise<LlamaSource> {
  const { release } = await Bun.file(join(nodeLlamaCpp, 'llama', 'binariesGithubRelease.json')).json()
  const folder = join(build, `llama.cpp-${release}`)
  if (wanted.every((path) => existsSync(join(folder, path)))) return { folder, release }

  // Unpacked into another folder and renamed, so that an interrupted run leaves no incomplete source.
  const unpacking = `${folder}.${process.pid}.tmp`
  const bundle = join(nodeLlamaCpp, 'llama', 'gitRelease.bundle')
  rmSync(unpacking, { recursive: true, force: true })
  mkdirSync(build, { recursive: true })
  await run(['git', 'clone', '--quiet', '--no-checkout', bundle, unpacking], build)
  await run(['git', 'checkout', '--quiet', 'HEAD', '--', ...wanted], unpacking)
  rmSync(join(unpacking, '.git'), { recursive: true })
  rmSync(folder, { recursive: true, force: true })
  renameSync(unpacking, folder)
  return { folder, release }
}
