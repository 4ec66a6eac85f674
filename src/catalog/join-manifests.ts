import type { ModelManifest } from '../core/model.ts'

export interface LoadedManifest {
  readonly file: string
  readonly isShipped: boolean
  readonly manifest: ModelManifest
  readonly addedAtMs: number
}

/** Reason why an operator's manifest, or the whole folder, is left out. */
export interface ManifestProblem {
  readonly file: string
  /** Completes "<file>: …". */
  readonly reason: string
}

/**
 * Joins manifests into one catalog in which every id and alias means one model:
 * 1. an operator's manifest replaces a shipped one with the same id;
 * 2. an operator's alias takes the same alias from a shipped model, so that `gpt-4o-mini` can be redirected;
 * 3. an operator's manifest whose alias is another model's id, or an id or alias of an earlier operator's manifest, is
 * left out and reported; the one it would have replaced stays;
 * 4. shipped manifests that contradict each other throw: a bug of this program.
 */
export function joinManifests(
  shipped: readonly LoadedManifest[],
  operator: readonly LoadedManifest[],
): { readonly models: readonly LoadedManifest[]; readonly problems: readonly ManifestProblem[] } {
  const problems: ManifestProblem[] = []
  const accepted: LoadedManifest[] = []
  const taken = new Map<string, string>() // id or alias -> file
  const canonical = new Set(shipped.map(({ manifest }) => manifest.id))
  for (const model of operator) {
    const reason = conflict(model, taken) ?? shippedConflict(model.manifest, canonical) // 3
    if (reason !== undefined) {
      problems.push({ file: model.file, reason })
      continue
    }
    for (const name of namesOf(model.manifest)) taken.set(name, model.file)
    accepted.push(model)
  }
  const replaced = new Set(accepted.map(({ manifest }) => manifest.id)) // 1
  const remaining = shipped.filter(({ manifest }) => !replaced.has(manifest.id))
  const kept = remaining.map((model) => withoutAliases(model, taken)) // 2
  const own = new Map<string, string>()
  for (const model of kept) {
    const problem = conflict(model, own)
    if (problem !== undefined) throw new Error(`${model.file}: ${problem}: this is a bug`) // 4
    for (const name of namesOf(model.manifest)) own.set(name, model.file)
  }
  return { models: [...kept, ...accepted], problems }
}

function namesOf({ id, aliases }: ModelManifest): string[] {
  return [id, ...aliases.map((alias) => alias.id)]
}

function conflict({ manifest }: LoadedManifest, taken: ReadonlyMap<string, string>): string | undefined {
  const names = namesOf(manifest)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `"${twice}" is named twice`
  const used = names.find((name) => taken.has(name))
  return used === undefined ? undefined : `"${used}" is already used by ${taken.get(used)}`
}

function shippedConflict(manifest: ModelManifest, canonical: ReadonlySet<string>): string | undefined {
  const used = manifest.aliases.find(({ id }) => canonical.has(id))
  return used === undefined ? undefined : `alias "${used.id}" is the id of another model`
}

function withoutAliases(model: LoadedManifest, taken: ReadonlyMap<string, string>): LoadedManifest {
  const aliases = model.manifest.aliases.filter(({ id }) => !taken.has(id))
  return { ...model, manifest: { ...model.manifest, aliases } }
}
