/** Paths of the files of a model that speaks, by role. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { InstalledModel } from '../../../core/model.ts'
import { LoadError } from '../../protocol/load-error.ts'
import { pathForGpu } from '../graph-precision.ts'

/** Absolute paths by role, in the order of the manifest. */
export type FilesByRole = Readonly<Record<string, readonly string[]>>

/** Patterns of the files in a model's archive, by exporters' names. */
const namesInArchives: Readonly<Record<string, RegExp>> = {
  model: /^(?!vocos|hifigan).*\.onnx$/,
  vocoder: /^(?:vocos|hifigan).*\.onnx$/,
  voices: /^voices\.bin$/,
  tokens: /^tokens\.txt$/,
  lexicon: /^lexicon.*\.txt$/,
  rule: /\.fst$/,
  data: /^espeak-ng-data$/,
}

const dataFolder = /^(.*\/espeak-ng-data)(?:\/.*)?$/

/** Returns the file of a required role. Throws a `LoadError` if it is missing. */
export function requiredFile(files: FilesByRole, role: string): string {
  const path = files[role]?.[0]
  if (path === undefined) throw new LoadError('bad-model', `the model has no file of role "${role}"`)
  return path
}

/**
 * Returns the files that a load on a GPU opens: the model's own GPU files, else graphs of higher precision beside the
 * usual ones.
 */
export function filesForGpu(model: InstalledModel): FilesByRole {
  const files = filesByRole(model)
  const beside = Object.entries(files).map(([role, paths]) => [role, paths.map((path) => pathForGpu(path))])
  const own = Object.entries(model.gpuFilePaths ?? {}).map(([role, path]) => [role, [path]])
  const archive = model.gpuFilePaths?.model
  const isArchive = archive !== undefined && statSync(archive).isDirectory()
  return isArchive ? filesInArchive(archive) : Object.fromEntries([...beside, ...own])
}

export function filesByRole({ manifest, filePaths }: InstalledModel): FilesByRole {
  const { model } = filePaths
  if (model !== undefined && statSync(model).isDirectory()) return filesInArchive(model)
  const files: Record<string, string[]> = {}
  for (const { role, name } of manifest.files) {
    const first = filePaths[role]
    if (first === undefined) continue
    // A role may have only its first path, with its other files below the same folder.
    const ofRole = files[role] ?? []
    const firstName = manifest.files.find((file) => file.role === role)?.name ?? ''
    ofRole.push(ofRole.length === 0 ? first : `${first.slice(0, first.length - firstName.length)}${name}`)
    files[role] = ofRole
  }
  const [data] = files.data ?? []
  return data === undefined ? files : { ...files, data: [dataFolder.exec(data)?.[1] ?? data] }
}

/** Archives often contain a single folder with everything. */
function filesInArchive(folder: string): FilesByRole {
  const names = readdirSync(folder).sort()
  const [only] = names
  if (names.length === 1 && only !== undefined && statSync(join(folder, only)).isDirectory()) {
    return filesInArchive(join(folder, only))
  }
  const roles = Object.entries(namesInArchives).map(([role, pattern]) => [
    role,
    names.filter((name) => pattern.test(name)).map((name) => join(folder, name)),
  ])
  return Object.fromEntries(roles)
}
