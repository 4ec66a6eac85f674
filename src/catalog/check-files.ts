import { posix } from 'node:path'
import { fileNameProblem } from '../core/file-name.ts'
import type { ModelFile } from '../core/model.ts'
import { namesThatClash } from './file-names.ts'
import { parseHubAddress } from './hub-address.ts'

/** Returns the first fault of a manifest's files that their schema does not find; undefined if there is none. */
export function filesProblem(files: readonly ModelFile[], gpuFiles: readonly ModelFile[] = []): string | undefined {
  const all = [...files, ...gpuFiles]
  for (const file of all) {
    const problem = fileProblem(file)
    if (problem !== undefined) return `the file with role "${file.role}" ${problem}`
  }
  // Files with a path lie outside the model's folder, so their names cannot clash there.
  const clash = namesThatClash(all.filter(({ path }) => path === undefined).map(({ name }) => name))
  if (clash !== undefined) return `two files cannot have the names "${clash[0]}" and "${clash[1]}"`
  return scatteredProblem(files) ?? scatteredProblem(gpuFiles)
}

function scatteredProblem(files: readonly ModelFile[]): string | undefined {
  const scattered = files.find((file) => {
    const first = files.find(({ role }) => role === file.role) ?? file
    return folderOf(first) !== folderOf(file)
  })
  if (scattered !== undefined)
    return `the files with role "${scattered.role}" must lie in one folder: the first is opened and finds the others`
  return undefined
}

function fileProblem({ name, url, path, commit }: ModelFile): string | undefined {
  if (url === undefined && path === undefined) return 'needs a url or a path'
  if (url !== undefined && path !== undefined) return 'has a url and a path: it can have one of them'
  const wrongName = fileNameProblem(name)
  if (wrongName !== undefined) return `cannot have the name ${JSON.stringify(name)}, which ${wrongName}`
  if (url?.startsWith('hf://') === true) {
    if (parseHubAddress(url) === undefined) return `has no address of a hub's file: hf://<org>/<repository>/<path>`
  } else {
    if (url !== undefined && !URL.canParse(url)) return 'has a url that is none'
    if (commit !== undefined) return 'has a commit: only files of a hub, hf://…, have one'
  }
  return undefined
}

function folderOf({ name, path }: ModelFile): string {
  return posix.dirname(path ?? name)
}
