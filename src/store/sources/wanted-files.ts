/** Files of a model that a pull brings here. */
import type { Catalog } from '../../catalog/catalog.ts'
import { allFiles } from '../../catalog/locate-files.ts'
import { FileError, statFile } from '../../catalog/stat-file.ts'
import type { ModelFile, ModelManifest } from '../../core/model.ts'
import type { SourceContext } from './source.ts'

type Asked = Pick<ModelManifest, 'id' | 'files' | 'gpuFiles'>

/** Returns the files that every load needs, and those for a GPU where they are wanted. Of the latter those that are here stay in any case. */
export async function wantedFiles(
  manifest: Asked,
  { catalog, wantsGpuFiles }: Pick<SourceContext, 'catalog' | 'wantsGpuFiles'>,
): Promise<readonly ModelFile[]> {
  if (manifest.gpuFiles === undefined) return manifest.files
  if (await wantsGpuFiles()) return allFiles(manifest)
  const here = filesHere(catalog, manifest.id)
  return [...manifest.files, ...manifest.gpuFiles.filter(({ name }) => here.some((path) => path.endsWith(`/${name}`)))]
}

/** Returns the paths of the files for a GPU that are on this disk, whole or damaged. */
function filesHere(catalog: Catalog, id: string): readonly string[] {
  const paths = catalog.filesOf(id).flatMap(({ path, isForGpu }) => (isForGpu ? path : []))
  return paths.filter((path) => {
    const found = statFile(path)
    return found !== undefined && !(found instanceof FileError)
  })
}
