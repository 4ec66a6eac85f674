/**
 * Another inferd as a source: `inferd://host[:port]/<model id>`, with TLS `inferds://`. Its answers are checked, first
 * against this catalog.
 */
import { isOfFile } from '../../catalog/file-names.ts'
import { allFiles } from '../../catalog/locate-files.ts'
import type { ModelManifest } from '../../core/model.ts'
import { modelManifestOf } from '../bundle/check-manifest.ts'
import { type BundledModel, BundleError, checkedBundledModel } from '../bundle/manifest.ts'
import type { PlannedFile } from '../plan.ts'
import { readJson } from '../web/read-json.ts'
import { WebError } from '../web/web-error.ts'
import { PlanError, withUse } from './plan-files.ts'
import type { SourceContext, SourcePlan } from './source.ts'
import { wantedFiles } from './wanted-files.ts'

export const peerPattern = /^inferds?:\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?\/(.+)$/
const defaultPort = '11500'
const listLimitBytes = 64 * 1024 * 1024

/** Returns the origin of a peer in a source; undefined for another kind of source. */
export function peerOrigin(text: string): string | undefined {
  const [, host, port = defaultPort] = peerPattern.exec(text) ?? []
  const scheme = text.startsWith('inferds:') ? 'https' : 'http'
  return host === undefined ? undefined : URL.parse(`${scheme}://${host}:${port}`)?.origin
}

export async function planPeerModel(text: string, context: SourceContext): Promise<SourcePlan> {
  const [, , , id = ''] = peerPattern.exec(text) ?? []
  const origin = peerOrigin(text)
  if (origin === undefined) throw new PlanError(`"${text}" is no source: write inferd://host:port/org/name`)
  if (context.id !== undefined) throw new PlanError(`${text} has its id already: leave out the id`, '--id')
  const model = await sharedModel(origin, id, context)
  const known = context.catalog.resolve(id)
  if (known?.alias !== undefined) {
    throw new PlanError(`"${id}" is an alias of ${known.entry.manifest.id} here; the model cannot have it as its id`)
  }
  const { host } = new URL(origin)
  const described = known?.entry.manifest ?? modelManifestOf(model)
  const wanted = await wantedFiles(described, context)
  const isWanted = ({ name }: BundledModel['files'][number]) =>
    wanted.some((file) => isOfFile(name, file)) || !allFiles(described).some((file) => isOfFile(name, file))
  const plan = {
    source: text,
    files: model.files.filter(isWanted).map(({ role, name, bytes, sha256, commit }): PlannedFile => {
      const address = `${origin}/share/v1/blobs/${sha256}`
      const source = `${text.startsWith('inferds:') ? 'inferds' : 'inferd'}://${host}/${id}/${name}`
      return withUse({ role, name, bytes, sha256, commit, address, source }, described)
    }),
  }
  if (known === undefined) {
    const { aliases, ...manifest } = modelManifestOf(model)
    const taken = aliases.filter((alias) => context.catalog.isTaken(alias.id, id))
    const notes = [
      `${id} is not in the catalog: its manifest and its sums are trusted from ${host}`,
      ...taken.map((alias) => `its alias ${alias.id} already names another model here, and is left out`),
    ]
    const free = aliases.filter((alias) => !taken.includes(alias))
    return { plan: { ...plan, manifest: { ...manifest, aliases: free } }, notes, isNew: true }
  }
  const { manifest } = known.entry
  return { plan: { ...plan, manifest }, notes: trustNotes(plan.files, manifest, host), isNew: false }
}

async function sharedModel(origin: string, id: string, { hub, signal }: SourceContext): Promise<BundledModel> {
  const models = await sharedModels(origin, { hub, signal })
  const named = (model: unknown): unknown => Object(model).id
  const found = models.find((model) => named(model) === id)
  const { host } = new URL(origin)
  if (found === undefined) {
    const ids = models.map(named).filter((each) => typeof each === 'string')
    const there = ids.length === 0 ? 'it has none that it can share' : `it shares ${ids.slice(0, 40).join(', ')}`
    throw new PlanError(`${host} has no model "${id}"; ${there}`)
  }
  try {
    return checkedBundledModel(found)
  } catch (error) {
    throw error instanceof BundleError ? new PlanError(`${host} is not believed: ${error.message}`) : error
  }
}

async function sharedModels(
  origin: string,
  { hub, signal }: Pick<SourceContext, 'hub' | 'signal'>,
): Promise<unknown[]> {
  const { host } = new URL(origin)
  try {
    const address = new URL(`${origin}/share/v1/models`)
    const listed = await hub.client.ask(
      async () => readJson(await hub.client.get(address, { signal }), listLimitBytes),
      signal,
    )
    const { format, models }: { format?: unknown; models?: unknown } = Object(listed)
    if (format === 1 && Array.isArray(models)) return models
  } catch (error) {
    const advice = error instanceof WebError ? refusals[error.status ?? 0] : undefined
    if (advice !== undefined) throw new PlanError(`${host} ${advice}`)
    throw error
  }
  throw new PlanError(`${host} does not answer as an inferd of this version does`)
}

const refusals: Readonly<Record<number, string>> = {
  401: 'takes no such key: set INFERD_SHARE_KEY to an API key of its operator',
  403: "does not share with this key: set INFERD_SHARE_KEY to a key of its operator's own account; if it speaks TLS, write inferds://",
  404: 'shares nothing: its operator must set share = "key" there',
}

/**
 * Returns notes on trust. `files` are those to be fetched. Throws PlanError if the other box's files differ from this
 * box's catalog.
 */
function trustNotes(files: readonly PlannedFile[], manifest: ModelManifest, host: string): string[] {
  for (const named of allFiles(manifest)) {
    const { name, sha256, sizeBytes, unpack } = named
    const first = files.find((file) => isOfFile(file.name, named))
    if (first === undefined && !manifest.files.includes(named)) continue
    if (first === undefined) throw new PlanError(`${host} lacks ${name} of ${manifest.id}, which the catalog names`)
    if (unpack === true) continue
    const isOther = (sha256 ?? first.sha256) !== first.sha256 || (sizeBytes ?? first.bytes) !== first.bytes
    if (isOther) throw new PlanError(`${host} has another ${name} of ${manifest.id} than the catalog names`)
  }
  const confirmed = new Set(
    allFiles(manifest).flatMap(({ name, sha256, unpack }) => (sha256 === undefined || unpack ? [] : name)),
  )
  const trusted = files.filter(({ name }) => !confirmed.has(name)).map(({ name }) => name)
  return trusted.length === 0 ? [] : [`trusted from ${host}, since the catalog has no sums: ${trusted.join(', ')}`]
}
