import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BackendName } from '../../src/engines/protocol/backend.ts'
import { runtimeLayout } from '../../src/engines/runtime/runtime-paths.ts'
import { cudaProviderFiles } from '../native/cuda-provider.ts'

export interface RuntimeFile {
  /** Path inside the runtime folder. */
  readonly path: string
  /** Absolute path of the embedded file. */
  readonly source: string
}

export interface RuntimeInputs {
  readonly root: string
  readonly backends: readonly BackendName[]
  /** Absolute paths of replacements by file name, such as a self-built CUDA backend. */
  readonly replaced?: Readonly<Record<string, string>>
}

const ownAddons = ['inferd-llama.cpu.node', 'inferd-speech.node']

/**
 * Returns everything the executable carries beside its own JavaScript, sorted by path, in the layout of the checkout: llama.cpp's
 * prebuilt libraries, our addons and the versions that belong to them, the library of each further backend, ONNX Runtime with its
 * provider for CUDA where that is a backend, the tokenizers, sherpa-onnx, and the starter models.
 */
export function runtimeFiles({ root, backends, replaced = {} }: RuntimeInputs): RuntimeFile[] {
  const { nodeLlamaCpp, addons } = runtimeLayout
  const versions = [nodeLlamaCpp, `${dirname(nodeLlamaCpp)}/llama/binariesGithubRelease.json`]
  const files = [
    ...[...versions, ...ownAddons.map((file) => `${addons}/${file}`)].map((file) => fromCheckout(root, file)),
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

/** Returns a backend's files. llama.cpp's core is in the CPU's package, and another backend is one more library. */
function backendFiles(root: string, backend: BackendName): RuntimeFile[] {
  const name = backendPackage(backend)
  const folder = `node_modules/${name}/bins/${basename(name)}`
  const files = readdirSync(join(root, folder)).filter((file) => /\.(so|node)$/.test(file))
  return (backend === 'cpu' ? files : [`libggml-${backend}.so`]).map((file) => fromCheckout(root, `${folder}/${file}`))
}

/**
 * Returns ONNX Runtime under two names, for its binding and for sherpa-onnx. Files of equal content are packed once.
 */
function onnxFiles(): string[] {
  const { onnxRuntime, sherpaOnnx, tokenizers } = runtimeLayout
  const libraries = ['libonnxruntime.so.1', 'libonnxruntime.so', 'libsherpa-onnx-c-api.so']
  return [onnxRuntime, sherpaOnnx, tokenizers, ...libraries.map((file) => `${dirname(onnxRuntime)}/${file}`)]
}

/** Returns the provider, which is loaded from beside ONNX Runtime's library. */
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

/** Returns the SHA-256 of a file in hexadecimal. */
export function fileHash(path: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
}
