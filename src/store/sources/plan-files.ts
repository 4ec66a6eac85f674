import { isOfFile } from '../../catalog/file-names.ts'
import { parseHubAddress } from '../../catalog/hub-address.ts'
import type { ModelFile, ModelManifest } from '../../core/model.ts'
import { eachOf } from '../each-of.ts'
import type { ModelPlan, PlannedFile } from '../plan.ts'
import { type ResolvedFile, resolveFile } from '../web/resolve-file.ts'
import { shownAddress, WebError } from '../web/web-error.ts'
import { type Hub, hubFileAddress } from './hub.ts'

/**
 * Error of a model whose files cannot be planned. The message, also shown on pages, says what is wrong and what to do
 * next. `onCommandLine` names the flag for it, which only the command line adds, in parentheses.
 */
export class PlanError extends Error {
  override name = 'PlanError'
  readonly onCommandLine: string | undefined

  constructor(message: string, onCommandLine?: string) {
    super(message)
    this.onCommandLine = onCommandLine
  }
}

/** Files whose facts are asked for at a time: split models have hundreds. */
const filesAtOnce = 8

/**
 * Returns a plan of `files`, by default all of the manifest's, each with its source's current facts. Throws PlanError
 * if a source contradicts the manifest, and WebError.
 */
export async function planFiles(
  manifest: ModelManifest,
  source: string,
  { hub, signal }: { readonly hub: Hub; readonly signal: AbortSignal },
  files: readonly ModelFile[] = manifest.files,
): Promise<ModelPlan> {
  if (manifest.upstream !== undefined)
    throw new PlanError(`upstream servers serve ${manifest.id}, as its manifest says: there is nothing to pull`)
  const fetched = files.filter(({ path }) => path === undefined)
  if (fetched.length === 0)
    throw new PlanError(`the manifest of ${manifest.id} names files on this disk: there is nothing to pull`)
  const planned = await eachOf(fetched, filesAtOnce, (file) => planFile(file, hub, signal))
  return { manifest, source, files: planned.map((file) => withUse(file, manifest)) }
}

/** Returns the file, marked if only loads on a GPU use it. */
export function withUse(file: PlannedFile, { gpuFiles = [] }: Pick<ModelManifest, 'gpuFiles'>): PlannedFile {
  const isForGpu = gpuFiles.some(({ name, unpack }) => isOfFile(file.name, { name, unpack }))
  return isForGpu ? { ...file, isForGpu } : file
}

/** Returns one file with its source's current facts. Throws as `planFiles` does. */
async function planFile(file: ModelFile, hub: Hub, signal: AbortSignal): Promise<PlannedFile> {
  const { role, name, unpack, url = '' } = file
  const { facts, address } = await askSource(file, hub, signal)
  const who = facts.commit === undefined ? address.host : `${address.host}, at ${facts.commit},`
  return { role, name, unpack, address: address.href, source: shownSource(url), ...agreed(file, facts, who) }
}

interface SourceAnswer {
  readonly facts: ResolvedFile
  /** Address of the file. On a hub, at the commit that the facts belong to. */
  readonly address: URL
}

/**
 * Returns a file from its manifest alone, without asking its source; undefined if the manifest has no checksum or size.
 */
export function confirmedFile(file: ModelFile, hub: Hub): PlannedFile | undefined {
  const { role, name, unpack, url, commit, sha256, sizeBytes: bytes } = file
  if (url === undefined || sha256 === undefined || bytes === undefined) return undefined
  const inHub = parseHubAddress(url)
  const address =
    inHub === undefined ? new URL(url) : hubFileAddress(hub, { ...inHub, revision: commit ?? inHub.revision })
  return { role, name, unpack, address: address.href, source: shownSource(url), bytes, sha256, commit }
}

/** Returns the source in the form of locks. */
function shownSource(url: string): string {
  const inHub = parseHubAddress(url)
  return inHub === undefined ? shownAddress(url) : `hf:${inHub.repository}/${inHub.path}`
}

/** Asks the source of a file for its facts. Throws WebError. */
export async function askSource(
  { url = '', commit, sha256 }: ModelFile,
  hub: Hub,
  signal: AbortSignal,
): Promise<SourceAnswer> {
  const resolve = (address: URL) => hub.client.ask(() => resolveFile(hub.client, address, signal), signal)
  const inHub = parseHubAddress(url)
  if (inHub === undefined) {
    const address = new URL(url)
    return { facts: await resolve(address), address }
  }
  const ask = (revision: string | undefined) => resolve(hubFileAddress(hub, { ...inHub, revision }))
  const facts = await ask(commit ?? inHub.revision).catch((error: unknown) => {
    // A repository's history can be rewritten. A file with a known checksum may then come from any revision.
    const isGone = error instanceof WebError && error.code === 'RevisionNotFound'
    if (!isGone || commit === undefined || sha256 === undefined) throw error
    return ask(undefined)
  })
  const address = hubFileAddress(hub, { ...inHub, revision: facts.commit ?? commit ?? inHub.revision })
  return { facts, address }
}

/** Returns the facts of a file on which manifest and source agree. Throws PlanError if they do not. */
function agreed(
  { name, sha256, sizeBytes }: ModelFile,
  facts: ResolvedFile,
  who: string,
): Pick<PlannedFile, 'bytes' | 'sha256' | 'gitBlobSha1' | 'commit'> {
  const differ = (what: string, expected: string | number | undefined, said: string | number | undefined) => {
    if (expected === undefined || said === undefined || expected === said) return
    const advice =
      "the file was replaced, or the manifest is out of date: 'inferd catalog check' shows all that differs"
    throw new PlanError(`${name}: the manifest expects ${what} ${expected}, but ${who} says ${said}; ${advice}`)
  }
  differ('the sha256', sha256, facts.sha256)
  differ('bytes:', sizeBytes, facts.bytes)
  const { bytes = sizeBytes, gitBlobSha1, commit } = facts
  return { bytes, sha256: sha256 ?? facts.sha256, gitBlobSha1, commit }
}
