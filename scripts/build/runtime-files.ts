import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { runtimeLayout } from '../../src/engines/runtime-paths.ts'
import type { BackendName } from '../native/backends.ts'

export interface RuntimeFile {
  /** Where it lies inside the runtime folder. */
  readonly path: string
  /** Absolute path of what is embedded. */
  readonly source: string
}

export interface RuntimeInputs {
  readonly root: string
  /** Folder with the bundled node-llama-cpp. */
  readonly bundle: string
  readonly backends: readonly BackendName[]
}

/**
 * Everything the executable carries beside its own JavaScript, in the layout of the checkout: the bundled
 * node-llama-cpp with the three files it reads about itself, the prebuilt libraries and our addon of each backend, ONNX
 * Runtime, the tokenizers, sherpa-onnx, and the starter models. Sorted by path.
 */
export function runtimeFiles({ root, bundle, backends }: RuntimeInputs): RuntimeFile[] {
  const nodeLlamaCpp = 'node_modules/node-llama-cpp'
  const own = ['package.json', 'llama/binariesGithubRelease.json', 'llama/llama.cpp.info.json']
  const files = [
    ...own.map((file) => fromCheckout(root, `${nodeLlamaCpp}/${file}`)),
    ...filesBelow(bundle).map((file) => ({ path: `${nodeLlamaCpp}/dist/${file}`, source: join(bundle, file) })),
    ...backends.flatMap((backend) => backendFiles(root, backend)),
    ...[...onnxFiles(), ...sherpaFiles()].map((file) => fromCheckout(root, file)),
    ...starterModels(root).map((file) => fromCheckout(root, `models/starter/${file}`)),
  ]
  return files.sort((first, second) => (first.path < second.path ? -1 : 1))
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

function onnxFiles(): string[] {
  const { onnxRuntime, tokenizers } = runtimeLayout
  return [onnxRuntime, `${dirname(onnxRuntime)}/libonnxruntime.so.1`, tokenizers]
}

/** It brings an ONNX Runtime of its own, of another version. */
function sherpaFiles(): string[] {
  const { sherpaOnnx } = runtimeLayout
  return [
    sherpaOnnx,
    ...['libsherpa-onnx-c-api.so', 'libonnxruntime.so'].map((file) => `${dirname(sherpaOnnx)}/${file}`),
  ]
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
