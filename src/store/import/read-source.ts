import { opendirSync, realpathSync, type Stats } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { FileError, statFile } from '../../catalog/stat-file.ts'
import { ImportError, type Source, type SourceFile } from './found-model.ts'
import { textModelFiles } from './text-model-notes.ts'

const maximumFiles = 10_000
const maximumDepth = 8

/** Reads the path that the operator named. Throws ImportError if nothing usable is there. */
export function readSource(given: string): Source {
  const found = statFile(given)
  if (found === undefined) throw new ImportError(`${given} does not exist`)
  if (found instanceof FileError) throw new ImportError(`${given} ${found.message}`)
  if (found.isDirectory()) return { given, files: filesBelow(realpathSync(given)), named: undefined }
  if (!found.isFile()) throw new ImportError(`${given} is not a file`)
  const folder = realpathSync(dirname(given))
  const below = basename(folder)
  const named = { name: `${below}/${basename(given)}`, path: join(folder, basename(given)), bytes: found.size }
  return { given, files: [named, ...filesBeside(named)], named }
}

/**
 * Returns the other files of a file's folder, and exporters' files in the folder above. Links may lead anywhere: the
 * operator put them there.
 */
function filesBeside(named: SourceFile): SourceFile[] {
  const root = dirname(dirname(named.path))
  const below = dirname(named.name)
  const siblings = namesIn(join(root, below)).slice(0, maximumFiles)
  const names = [...siblings, ...textModelFiles].map((name) => `${below}/${name}`)
  return [...new Set([...names, ...textModelFiles])].flatMap((name) => {
    const path = join(root, name)
    const found = statFile(path)
    if (name === named.name || found === undefined || found instanceof FileError || !found.isFile()) return []
    return { name, path, bytes: found.size }
  })
}

/** Returns all files of a folder and its subfolders. A link must stay inside: the folder may come from a stranger. */
function filesBelow(folder: string): SourceFile[] {
  const roots = [folder, ...hubBlobs(folder)]
  const files: SourceFile[] = []
  const visit = (below: string, depth: number) => {
    const entries = namesIn(join(folder, below))
    if (files.length + entries.length > maximumFiles) {
      throw new ImportError(`${folder} holds more than ${maximumFiles} files`)
    }
    for (const entry of entries) {
      const name = below === '' ? entry : `${below}/${entry}`
      if (entry.startsWith('.')) continue
      const path = join(folder, name)
      const found = statFile(path)
      if (found === undefined) continue
      if (!(found instanceof FileError) && found.isDirectory()) {
        // A link to a folder may form a loop.
        if (depth < maximumDepth && realpathSync(path) === path) visit(name, depth + 1)
        continue
      }
      files.push({
        name,
        path,
        bytes: found instanceof FileError ? 0 : found.size,
        problem: problemOf(path, found, roots),
      })
    }
  }
  visit('', 1)
  return files
}

function problemOf(path: string, found: Stats | FileError, roots: readonly string[]): string | undefined {
  if (found instanceof FileError) return found.message
  if (!found.isFile()) return 'is not a file'
  const real = realpathSync(path)
  const isInside = roots.some((root) => !relative(root, real).startsWith(`..${sep}`))
  return isInside ? undefined : 'is a link that leads out of the folder'
}

/** Returns the blob folder of the hub's cache, which a revision's files link to. */
function hubBlobs(folder: string): string[] {
  const isSnapshot = basename(dirname(folder)) === 'snapshots'
  return isSnapshot ? [join(folder, '..', '..', 'blobs')] : []
}

function namesIn(folder: string): string[] {
  try {
    const names: string[] = []
    const entries = opendirSync(folder)
    for (let entry = entries.readSync(); entry !== null && names.length <= maximumFiles; entry = entries.readSync()) {
      names.push(entry.name)
    }
    entries.closeSync()
    return names.sort()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new ImportError(`${folder} cannot be read (${code})`)
  }
}
