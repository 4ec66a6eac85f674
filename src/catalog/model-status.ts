import { basename } from 'node:path'
import type { EngineKind, ModelManifest, ModelStatus } from '../core/model.ts'
import { FileError } from './file-error.ts'
import { type GgufFiles, isLaterGgufPart } from './gguf-file.ts'
import type { LocatedFile } from './locate-files.ts'
import { readRegularFile, statFile } from './stat-file.ts'

/** Engines that this version has. */
const presentEngines: readonly EngineKind[] = ['llama', 'onnx', 'fake']

/** Whether a model can be served from what is on the disk now. GGUF files are checked, at most once per change. */
export function modelStatus(manifest: ModelManifest, files: readonly LocatedFile[], gguf: GgufFiles): ModelStatus {
  const present: LocatedFile[] = []
  for (const file of files) {
    const found = statFile(file.path)
    if (found instanceof FileError) return broken(file.path, found)
    if (found === undefined) continue
    if (!found.isFile()) return broken(file.path, new FileError('is not a file'))
    present.push(file)
  }
  if (files.some((file) => !file.isCarried && !present.includes(file))) return { kind: 'available' }
  if (!presentEngines.includes(manifest.engine)) {
    return { kind: 'broken', reason: `this version has no engine "${manifest.engine}"` }
  }
  for (const file of present) {
    try {
      checkFile(manifest, file, gguf)
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      return broken(file.path, error)
    }
  }
  return { kind: 'ready' }
}

function checkFile({ engine }: ModelManifest, { role, path }: LocatedFile, gguf: GgufFiles): void {
  if (engine !== 'llama' && !path.endsWith('.gguf'))
    readRegularFile(path, () => undefined) // it can be opened
  else if (engine === 'llama' && role === 'model') gguf.checkChatModel(path)
  // Later parts of a split model are checked with the first.
  else if (!isLaterGgufPart(path)) gguf.check(path)
}

function broken(path: string, { message }: FileError): ModelStatus {
  return { kind: 'broken', reason: `${basename(path)} ${message}` }
}
