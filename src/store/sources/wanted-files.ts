/** Files of a model that a pull brings here. */
import { allFiles } from '../../catalog/locate-files.ts'
import { FileError, statFile } from '../../catalog/stat-file.ts'
import type { ModelFile, ModelManifest } from '../../core/model.ts'
import type { SourceContext } from './source.ts'

type Asked = Pick<ModelManifest, 'id' | 'files' | 'gpuFiles'>

/**
 * Returns the files that every load needs, and the files for a GPU if they are wanted. Files for a GPU that are already
 * here are always included.
 */
export async function wantedFiles(
  manifest: Asked,
  { catalog, gpuFilesWish }: Pick<SourceContext, 'catalog' | 'gpuFilesWish'>,
): Promise<readonly ModelFile[]> {
  if (manifest.gpuFiles === undefined) return manifest.files
  if ((await gpuFilesWish()) !== 'no') return allFiles(manifest)
  // `filesOf` lists these in the order of `gpuFiles`.
  const places = catalog.filesOf(manifest.id).filter(({ isForGpu }) => isForGpu)
  return [...manifest.files, ...manifest.gpuFiles.filter((_, index) => isHere(places[index]?.path))]
}

/** Returns whether a file is on this disk, whole or damaged. */
function isHere(path: string | undefined): boolean {
  const found = path === undefined ? undefined : statFile(path)
  return found !== undefined && !(found instanceof FileError)
}
