import { rmSync } from 'node:fs'
import type { Catalog } from '../catalog/catalog.ts'
import { modelFolder } from '../catalog/locate-files.ts'
import { importedManifestPath } from '../catalog/operator-manifests.ts'
import { readPullNote } from '../catalog/pull-note.ts'
import { hideModel } from '../store/cleanup/remove-model.ts'

/** Reason why a model cannot be removed: it belongs to the program, a pull of it runs, or it is not on this disk. */
export type RemovalProblem =
  | { readonly kind: 'carried' | 'not-here' }
  | { readonly kind: 'pull-running'; readonly pid: number }

export interface RemovedModel {
  readonly model: string
  readonly freedBytes: number
  /** Path of the removed manifest. Undefined if none was removed. */
  readonly manifest: string | undefined
  /** Notes on what stays, and why. */
  readonly notes: readonly string[]
}

interface Removal {
  readonly catalog: Catalog
  readonly dataDir: string
  /** Canonical id. */
  readonly id: string
}

export function removalProblem({ catalog, dataDir, id }: Removal): RemovalProblem | undefined {
  const files = catalog.filesOf(id)
  if (files.length > 0 && files.every(({ isCarried }) => isCarried)) return { kind: 'carried' }
  const pull = readPullNote(modelFolder(dataDir, id))
  return pull && { kind: 'pull-running', pid: pull.pid }
}

/**
 * Removes a model's files, and the manifest that an import or a pull wrote. The files are hidden before `unload` ends
 * the engine, so no new engine starts; running requests keep them open.
 */
export async function removeModel(
  removal: Removal & { readonly unload: () => Promise<void> },
): Promise<RemovedModel | RemovalProblem> {
  const { catalog, dataDir, id, unload } = removal
  const problem = removalProblem(removal)
  if (problem !== undefined) return problem
  const own = catalog.operatorManifest(id)
  const isImported = own === importedManifestPath(dataDir, id)
  const notes = notesOn(removal, own, isImported)
  const hidden = await hideModel(dataDir, id)
  if (hidden === undefined && !isImported) return { kind: 'not-here' }
  if (isImported) rmSync(own, { force: true })
  try {
    await unload()
  } finally {
    await hidden?.remove()
  }
  return { model: id, freedBytes: hidden?.freedBytes ?? 0, manifest: isImported ? own : undefined, notes }
}

function notesOn({ catalog, id }: Removal, own: string | undefined, isImported: boolean): string[] {
  if (own !== undefined && !isImported) return [`${own}, which describes it, is yours and stays`]
  const files = catalog.resolve(id)?.entry.manifest.files ?? []
  const elsewhere = files.flatMap(({ path }) => (isImported && path?.startsWith('/') ? [path] : []))
  return elsewhere.map((path) => `${path} stays: it was used where it lies`)
}
