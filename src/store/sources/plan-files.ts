import { parseHubAddress } from '../../catalog/hub-address.ts'
import type { ModelFile, ModelManifest } from '../../core/model.ts'
import { type Network, NetworkError, shownAddress } from '../network/network.ts'
import type { ModelPlan, PlannedFile } from '../plan.ts'
import { HubRefusal, hubFileAddress, hubFileFacts } from './hub.ts'
import { type FileFacts, webFileFacts } from './web-file.ts'

/** A model whose files cannot be planned. The message says what is wrong and what to do next. */
export class PlanError extends Error {
  override name = 'PlanError'
}

/**
 * A plan of the manifest's files, each with what its source says of it now. Throws PlanError where a source says something
 * else than the manifest, and NetworkError.
 */
export async function planFiles(
  manifest: ModelManifest,
  source: string,
  { network, signal }: { readonly network: Network; readonly signal: AbortSignal },
): Promise<ModelPlan> {
  const files = await Promise.all(
    manifest.files.filter(({ path }) => path === undefined).map((file) => planFile(file, network, signal)),
  )
  if (files.length > 0) return { manifest, source, files }
  throw new PlanError(`the manifest of ${manifest.id} names files on this disk: there is nothing to pull`)
}

async function planFile(file: ModelFile, network: Network, signal: AbortSignal): Promise<PlannedFile> {
  const hub = parseHubAddress(file.url ?? '')
  const { role, name, unpack, sha256, sizeBytes } = file
  if (hub === undefined) {
    const address = new URL(file.url ?? '')
    const facts = await webFileFacts(network, address, signal)
    const known = agreed(file, facts, address.host)
    return { role, name, unpack, address: address.href, source: shownAddress(address), ...known }
  }
  const pinned = file.commit ?? hub.revision
  const facts = await hubFileFacts(network, { ...hub, revision: pinned }, signal).catch((error: unknown) => {
    // The history of a repository can be rewritten. What the manifest has a sum of may come from anywhere.
    const isGone = error instanceof HubRefusal && error.code === 'RevisionNotFound'
    if (!isGone || file.commit === undefined || sha256 === undefined || sizeBytes === undefined) throw error
    return hubFileFacts(network, { ...hub, revision: hub.revision }, signal)
  })
  const known = agreed(file, facts, `the hub, at commit ${facts.commit ?? 'unknown'},`)
  const address = hubFileAddress(network, { ...hub, revision: facts.commit ?? pinned })
  const from = `hf:${hub.repository}/${hub.path}`
  return { role, name, unpack, address: address.href, source: from, commit: facts.commit, ...known }
}

/** What manifest and source say of a file, where they agree. */
function agreed(
  { name, sha256, sizeBytes }: ModelFile,
  facts: FileFacts,
  who: string,
): Pick<PlannedFile, 'bytes' | 'sha256' | 'gitBlobSha1'> {
  const differ = (what: string, expected: string | number | undefined, said: string | number | undefined) => {
    if (expected === undefined || said === undefined || expected === said) return
    const advice = 'the file was replaced, or the manifest is out of date: see inferd catalog check'
    throw new PlanError(`${name}: the manifest expects ${what} ${expected}, ${who} says ${said}; ${advice}`)
  }
  differ('the sum', sha256, facts.sha256)
  differ('a size of', sizeBytes, facts.bytes)
  return { bytes: sizeBytes ?? facts.bytes, sha256: sha256 ?? facts.sha256, gitBlobSha1: facts.gitBlobSha1 }
}

/** What failed is worth another try later. */
export function isTemporaryFailure(error: unknown): boolean {
  return error instanceof NetworkError && error.isTemporary
}
