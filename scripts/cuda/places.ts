import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BackendName } from '../../src/engines/protocol/backend.ts'
import { backendPackage } from '../build/runtime-files.ts'

export const libraryName = 'libggml-cuda.so'

/** Returns the folder of a build. A library works only with the ggml of its own release. */
export function buildFolder(root: string, release: string, architectures: readonly string[]): string {
  return join(root, 'build', 'cuda', release, architectures.join('-'))
}

/** Returns the folder of the libraries that node-llama-cpp ships for a backend. */
export function shippedLibraries(root: string, backend: BackendName = 'cuda'): string {
  const name = backendPackage(backend)
  return join(root, 'node_modules', name, 'bins', name.split('/')[1] ?? '')
}

/** Returns the library that was built last for this release; undefined if there is none. */
export function builtLibrary(root: string, release: string): string | undefined {
  const folder = buildFolder(root, release, [])
  if (!existsSync(folder)) return undefined
  const files = readdirSync(folder).map((name) => join(folder, name, libraryName))
  const ages = files.filter((file) => existsSync(file)).map((file) => ({ file, madeMs: statSync(file).mtimeMs }))
  return ages.sort((first, second) => second.madeMs - first.madeMs)[0]?.file
}
