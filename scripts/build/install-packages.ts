import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BackendName } from '../../src/engines/protocol/backend.ts'
import { run } from '../native/tools.ts'
import { backendPackage } from './runtime-files.ts'

/**
 * Installs missing backends in node-llama-cpp's own version. The CUDA package is no dependency, since it is large and
 * few need it.
 */
export async function installBackendPackages(root: string, backends: readonly BackendName[]): Promise<void> {
  const nodeModules = join(root, 'node_modules')
  const missing = backends.map(backendPackage).filter((name) => !existsSync(join(nodeModules, name)))
  if (missing.length === 0) return
  const { version } = await Bun.file(join(nodeModules, 'node-llama-cpp', 'package.json')).json()
  const wanted = missing.map((name) => `${name}@${version}`)
  console.error(`build: installing ${wanted.join(' ')} (about 160 MB)`)
  await run([process.execPath, 'add', '--no-save', '--exact', ...wanted], root)
}
