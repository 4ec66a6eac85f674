/**
 * ONNX Runtime's provider for NVIDIA's GPUs: the build for CUDA 13, in the version of package.json. onnxruntime-node's
 * install script fetches the build for CUDA 12, but a package of the npm registry contains this one.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileHash } from '../build/runtime-files.ts'
import { run } from './tools.ts'

const carrier = { name: 'com.github.asus4.onnxruntime.linux-x64-gpu', version: '0.4.9', onnxRuntime: '1.29.0' } as const

const sums: Readonly<Record<string, string>> = {
  'libonnxruntime_providers_cuda.so': '56cf3254b118ad837ccc4ed8f6d1b23504bbf7ef91b34cbc0b289cb7f10b3037',
  'libonnxruntime_providers_shared.so': 'c6a12593396095f5670160e284c35d1700b7708cf3037b7042e2a5200ccae772',
}

/** Returns absolute paths by name. The files must have been fetched. */
export function cudaProviderFiles(root: string): Readonly<Record<string, string>> {
  const libraries = join(root, 'build/onnx-cuda/node_modules', carrier.name, 'Plugins/Linux/x64')
  return Object.fromEntries(Object.keys(sums).map((file) => [file, join(libraries, file)]))
}

/**
 * Fetches the provider into `build/onnx-cuda` if it is missing (179 MB), and compares checksums. Throws if ONNX Runtime
 * has another version, the registry does not answer, or a checksum differs.
 */
export async function fetchCudaProvider(root: string): Promise<void> {
  const { version } = await Bun.file(join(root, 'node_modules/onnxruntime-node/package.json')).json()
  if (version !== carrier.onnxRuntime) {
    throw new Error(
      `the CUDA provider is of ONNX Runtime ${carrier.onnxRuntime} and onnxruntime-node is ${version}: pin both to one version`,
    )
  }
  const files = Object.entries(cudaProviderFiles(root))
  if (!files.every(([, path]) => existsSync(path))) await installCarrier(join(root, 'build/onnx-cuda'))
  for (const [file, path] of files) {
    const sha256 = fileHash(path)
    if (sha256 !== sums[file])
      throw new Error(`${path} has sha256 ${sha256} instead of ${sums[file]}: remove build/onnx-cuda and build again`)
  }
}

/**
 * Installs the package in a separate project, where an empty package replaces ONNX Runtime, on which it depends for all
 * other systems.
 */
async function installCarrier(folder: string): Promise<void> {
  console.error(`build: fetching ${carrier.name}@${carrier.version} (179 MB)`)
  const none = join(folder, 'none')
  mkdirSync(none, { recursive: true })
  writeFileSync(join(none, 'package.json'), JSON.stringify({ name: 'none', version: '0.0.0' }))
  const project = {
    private: true,
    dependencies: { [carrier.name]: carrier.version },
    overrides: { 'com.github.asus4.onnxruntime': 'file:./none' },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project))
  await run([process.execPath, 'install', '--no-save'], folder)
}
