/** Model files in a hub's repository, chosen by a path or by the name of a quantisation. */
import { ggufParts } from '../../catalog/gguf-file.ts'
import { FileError } from '../../catalog/stat-file.ts'
import type { ModelFile } from '../../core/model.ts'
import { PlanError } from './plan-files.ts'

const companion = /(^|[/_.-])(mmproj|mtp|imatrix|draft)([_.-]|$)/i
/** End of the name of a split model's part, with its number and the number of all parts. */
export const partEnding = /-(\d{5})-of-(\d{5})\.gguf$/

/** Returns whether a GGUF file goes with a model and is none by itself. */
export function isCompanion(path: string): boolean {
  return companion.test(path)
}

/** Returns the parts of the model file at `path`, its first part if split. Throws PlanError. */
export function partsOf(path: string): string[] {
  if (!path.endsWith('.gguf')) {
    const advice =
      "only GGUF files are pulled by their address; fetch others yourself, and give them to 'inferd import'"
    throw new PlanError(`${path} is no GGUF file: ${advice}`)
  }
  try {
    return ggufParts(path.replace(partEnding, '-00001-of-$2.gguf'))
  } catch (error) {
    throw error instanceof FileError ? new PlanError(`${path} ${error.message}`) : error
  }
}

/**
 * Returns the paths of the one model of a repository whose name contains the tag, such as `Q4_K_M`. Throws PlanError.
 */
export function modelWithTag(paths: readonly string[], tag: string): string[] {
  const firsts = paths.filter(
    (path) => path.endsWith('.gguf') && !isCompanion(path) && Number(partEnding.exec(path)?.[1] ?? 1) === 1,
  )
  const holdsTag = new RegExp(`(^|[/_.-])${RegExp.escape(tag)}([/_.-]|$)`, 'i')
  const [best, ...others] = firsts
    .filter((path) => holdsTag.test(path))
    .sort((left, right) => left.length - right.length)
  if (best === undefined) {
    const there = firsts.length === 0 ? 'it has no GGUF models' : `it has ${listed(firsts)}`
    throw new PlanError(`no file of the repository is named ${tag}: ${there}`)
  }
  // The tag `Q4_K_M` means `X-Q4_K_M`. `X-UD-Q4_K_M` is another quantisation whose name contains the tag.
  const stem = best.slice(0, best.search(holdsTag))
  const rivals = others.filter((path) => path.length === best.length || !path.startsWith(stem))
  if (rivals.length === 0) return partsOf(best)
  throw new PlanError(`${tag} is part of several names: ${listed([best, ...rivals])}; name one of them by its path`)
}

/** Returns names for a message. A hub may have a million. */
function listed(paths: readonly string[]): string {
  const more = paths.length - 40
  return `${paths.slice(0, 40).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Returns the projectors beside a model, the best one for most uses first. */
export function projectorsIn(paths: readonly string[]): string[] {
  const order = ['f16', 'bf16', 'q8_0', 'f32']
  const rank = (path: string) => {
    const found = order.findIndex((format) => new RegExp(`(^|[_.-])${format}[_.-]`, 'i').test(path))
    return found === -1 ? order.length : found
  }
  return paths
    .filter((path) => /(^|[/_.-])mmproj[_.-][^/]*\.gguf$/i.test(path))
    .sort((left, right) => rank(left) - rank(right))
}

export function hubModelFiles(
  repository: string,
  revision: string | undefined,
  paths: readonly string[],
  role = 'model',
): ModelFile[] {
  const at = revision === undefined ? '' : `@${revision}`
  return paths.map((path) => ({ role, name: path.split('/').at(-1) ?? path, url: `hf://${repository}${at}/${path}` }))
}
