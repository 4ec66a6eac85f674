import { basename } from 'node:path'
import type { ModelManifest } from '../core/model.ts'
import type { FilesState } from '../core/model-state.ts'
import { engineProblem, engineTable } from '../engines/engine-table.ts'
import { type GgufFiles, isLaterGgufPart } from './gguf-file.ts'
import type { LocatedFile } from './locate-files.ts'
import { FileError, readRegularFile, statFile } from './stat-file.ts'

/** Returns whether a model can be served from the files on the disk now. GGUF files are checked, at most once per change. */
export function filesState(manifest: ModelManifest, files: readonly LocatedFile[], gguf: GgufFiles): FilesState {
  const present: LocatedFile[] = []
  for (const file of files) {
    const found = statFile(file.path)
    if (found instanceof FileError) return broken(file.path, found)
    if (found === undefined) continue
    const isRight = file.isFolder ? found.isDirectory() : found.isFile()
    if (!isRight) return broken(file.path, new FileError(`is not a ${file.isFolder ? 'folder' : 'file'}`))
    present.push(file)
  }
  if (files.some((file) => !file.isCarried && !present.includes(file))) return { kind: 'available' }
  const reason = engineProblem(manifest.engine)
  if (reason !== undefined) return { kind: 'broken', reason }
  for (const file of present.filter(({ isFolder }) => !isFolder)) {
    try {
      checkFile(manifest, file, gguf)
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      return broken(file.path, error)
    }
  }
  return { kind: 'ready' }
}

function checkFile(manifest: ModelManifest, { role, path }: LocatedFile, gguf: GgufFiles): void {
  const { readsGguf } = engineTable[manifest.engine]
  if (!readsGguf && !path.endsWith('.gguf'))
    readRegularFile(path, () => undefined) // it can be opened
  else if (readsGguf && role === 'model') gguf.checkChatModel(path)
  else if (readsGguf && role === 'mmproj') gguf.checkProjector(path, manifest)
  // Later parts of a split model are checked with the first.
  else if (!isLaterGgufPart(path)) gguf.check(path)
}

function broken(path: string, { message }: FileError): FilesState {
  return { kind: 'broken', reason: `${basename(path)} ${message}` }
}
