import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Glob } from 'bun'
import { runtimeLayout } from '../../src/engines/runtime-paths.ts'
import type { BackendName } from '../native/backends.ts'
import { cudaProviderFiles } from '../native/cuda-provider.ts'

export interface RuntimeFile {
  /** Path inside the runtime folder. */
  readonly path: string
  /** Absolute path of what is embedded. */
  readonly source: string
}

export interface RuntimeInputs {
  readonly root: string
  /** Folder with the bundled node-llama-cpp. */
  readonly bundle: string
  readonly backends: readonly BackendName[]
  /** Absolute paths of files that take the place of others, by their names: a CUDA backend of one's own. */
  readonly replaced?: Readonly<Record<string, string>>
}

/**
 * Returns everything the executable carries beside its own JavaScript, sorted by path, in the layout of the checkout: the
 * bundled node-llama-cpp with the three files it reads about itself, the prebuilt libraries and our addon of each backend,
 * ONNX Runtime with its provider for CUDA where that is a backend, the tokenizers, sherpa-onnx, and the starter models.
 */
export function runtimeFiles({ root, bundle, backends, replaced = {} }: RuntimeInputs): RuntimeFile[] {
  const nodeLlamaCpp = 'node_modules/node-llama-cpp'
  const own = ['package.json', 'llama/binariesGithubRelease.json', 'llama/llama.cpp.info.json']
  const files = [
    ...own.map((file) => fromCheckout(root, `${nodeLlamaCpp}/${file}`)),
    ...filesBelow(bundle).map((file) => ({ path: `${nodeLlamaCpp}/dist/${file}`, source: join(bundle, file) })),
    ...backends.flatMap((backend) => backendFiles(root, backend)),
    ...onnxFiles().map((file) => fromCheckout(root, file)),
    ...(backends.includes('cuda') ? providerFiles(root) : []),
    ...starterModels(root).map((file) => fromCheckout(root, `models/starter/${file}`)),
  ]
  for (const name of Object.keys(replaced)) {
    if (!files.some(({ path }) => basename(path) === name))
      throw new Error(`the executable carries no file named ${name}`)
  }
  return files
    .map(({ path, source }) => ({ path, source: replaced[basename(path)] ?? source }))
    .sort((first, second) => (first.path < second.path ? -1 : 1))
}

/** npm package that carries the prebuilt libraries of a backend. */
export function backendPackage(backend: BackendName): string {
  return `@node-llama-cpp/linux-${process.arch}${backend === 'cpu' ? '' : `-${backend}`}`
}

function backendFiles(root: string, backend: BackendName): RuntimeFile[] {
  const folder = `node_modules/${backendPackage(backend)}`
  const wanted = filesBelow(join(root, folder)).filter((file) => !file.endsWith('.md') && file !== 'LICENSE')
  return [
    ...wanted.map((file) => fromCheckout(root, `${folder}/${file}`)),
    fromCheckout(root, `${runtimeLayout.addons}/inferd-llama.${backend}.node`),
  ]
}

/** One ONNX Runtime, under the name by which its binding asks for it and under sherpa-onnx's: files of equal content are packed once. */
function onnxFiles(): string[] {
  const { onnxRuntime, sherpaOnnx, tokenizers } = runtimeLayout
  const libraries = ['libonnxruntime.so.1', 'libonnxruntime.so', 'libsherpa-onnx-c-api.so']
  return [onnxRuntime, sherpaOnnx, tokenizers, ...libraries.map((file) => `${dirname(onnxRuntime)}/${file}`)]
}

/** The provider is loaded from beside ONNX Runtime's library. */
function providerFiles(root: string): RuntimeFile[] {
  const folder = dirname(runtimeLayout.onnxRuntime)
  return Object.entries(cudaProviderFiles(root)).map(([file, source]) => ({ path: `${folder}/${file}`, source }))
}

function starterModels(root: string): string[] {
  return readdirSync(join(root, 'models', 'starter')).filter((file) => /\.(gguf|onnx|json|txt)$/.test(file))
}

function fromCheckout(root: string, path: string): RuntimeFile {
  return { path, source: join(root, path) }
}

function filesBelow(folder: string): string[] {
  return [...new Glob('**/*').scanSync({ cwd: folder, dot: true, onlyFiles: true })]
}

/** SHA-256 of a file, in hexadecimal. */
export function fileHash(path: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
}
