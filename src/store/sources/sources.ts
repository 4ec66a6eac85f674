/** Sources of models: one row for each kind that `inferd pull` understands. */
import { defaultName } from '../../catalog/file-names.ts'
import { parseHubAddress } from '../../catalog/hub-address.ts'
import type { ModelFile } from '../../core/model.ts'
import { nearest } from '../../core/nearest.ts'
import { shownAddress, WebError } from '../web/web-error.ts'
import { hubPaths } from './hub.ts'
import { hubModelFiles, modelWithTag, partsOf, projectorsIn } from './hub-model.ts'
import { newModel } from './new-model.ts'
import { peerPattern, planPeerModel } from './peer.ts'
import { confirmedFile, PlanError, planFiles, withUse } from './plan-files.ts'
import type { Source, SourceContext, SourcePlan } from './source.ts'
import { wantedFiles } from './wanted-files.ts'

const repository = '[A-Za-z0-9][\\w.-]*/[A-Za-z0-9][\\w.-]*(?:@[A-Za-z0-9][\\w.-]*)?'

const sources: readonly Source[] = [
  { form: 'hf:org/repository:Q4_K_M', pattern: new RegExp(`^hf:(${repository}):([\\w.-]{1,60})$`), plan: planHubTag },
  { form: 'hf:org/repository@revision/file.gguf', pattern: /^hf:/, plan: planHubFile },
  { form: 'inferd://host/org/name', pattern: peerPattern, plan: planPeerModel },
  { form: 'https://host/file.gguf', pattern: /^https?:\/\//i, plan: planWebFile },
  { form: 'org/name', pattern: /^[^:]+(:[^/:]+)?$/, plan: planCatalogModel },
]

/** Returns the plan of an operator's source. Throws PlanError that lists the possible forms for an unknown one. */
export async function planSource(text: string, context: SourceContext): Promise<SourcePlan> {
  const source = sources.find(({ pattern }) => pattern.test(text))
  if (source !== undefined) return source.plan(text, context)
  throw new PlanError(`"${text}" is no source of a model; there are ${sources.map(({ form }) => form).join(', ')}`)
}

async function planCatalogModel(text: string, context: SourceContext): Promise<SourcePlan> {
  const { catalog } = context
  const found = catalog.resolve(text)
  if (found === undefined) throw new PlanError(unknownModel(text, context))
  if (context.id !== undefined) throw new PlanError(`${text} has its id already: leave out the id`, '--id')
  const { manifest, status } = found.entry
  const notes = found.alias === undefined ? [] : [`${text} is an alias of ${manifest.id}`]
  // Files that are present and have checksums need no network.
  const wanted = await wantedFiles(manifest, context)
  const files = status.kind === 'ready' ? wanted.flatMap((file) => confirmedFile(file, context.hub) ?? []) : []
  if (files.length > 0 && files.length === wanted.length) {
    const plan = { manifest, source: manifest.id, files: files.map((file) => withUse(file, manifest)) }
    return { plan, notes, isNew: false }
  }
  try {
    return { plan: await planFiles(manifest, manifest.id, context, wanted), notes, isNew: false }
  } catch (error) {
    // A model works without its files for a GPU.
    if (!(error instanceof WebError) || (await context.gpuFilesWish()) !== 'useful') throw error
    const without = await planCatalogModel(text, { ...context, gpuFilesWish: () => 'no' })
    return { ...without, notes: [...without.notes, `its files for a GPU are left out: ${error.message}`] }
  }
}

function unknownModel(text: string, { catalog }: SourceContext): string {
  const ids = catalog.entries().map(({ manifest }) => manifest.id)
  const words = text
    .toLowerCase()
    .split(/[/_.:-]/)
    .filter((word) => word.length > 2)
  const alike = ids.filter((id) => words.some((word) => id.toLowerCase().includes(word)))
  const near = nearest(text, ids)
  const candidates = [...new Set([...(near === undefined ? [] : [near]), ...alike])].slice(0, 5)
  const unread = catalog.problems().length
  const advice = [
    candidates.length === 0 ? "'inferd list' shows the models there are" : `did you mean ${candidates.join(', ')}?`,
    ...(text.includes('/') ? [`a repository of the hub is written hf:${text}:Q4_K_M`] : []),
    ...(unread === 0 ? [] : [`${unread} of your manifests cannot be used, 'inferd list' says why`]),
  ]
  return `the catalog has no model "${text}"; ${advice.join('; ')}`
}

async function planHubTag(text: string, context: SourceContext): Promise<SourcePlan> {
  const [, place = '', tag = ''] = sources[0]?.pattern.exec(text) ?? []
  const [name = '', revision] = place.split('@')
  const paths = await hubPaths(context.hub, { repository: name, revision }, context.signal)
  const files = hubModelFiles(name, revision, modelWithTag(paths, tag))
  return planWithProjector(text, { repository: name, revision, paths, files }, context)
}

async function planHubFile(text: string, context: SourceContext): Promise<SourcePlan> {
  const address = parseHubAddress(text.replace(/^hf:(\/\/)?/, 'hf://'))
  if (address === undefined)
    throw new PlanError(`"${text}" is no file of a hub: write hf:org/repository/file.gguf, or hf:org/repository:Q4_K_M`)
  const { repository, revision } = address
  const files = withSum(hubModelFiles(repository, revision, partsOf(address.path)), context)
  if (!context.withProjector) return planNew(text, files, context, [])
  const paths = await hubPaths(context.hub, address, context.signal)
  return planWithProjector(text, { repository, revision, paths, files }, context)
}

interface ChosenFiles {
  readonly repository: string
  readonly revision: string | undefined
  /** Paths of all files of the repository. */
  readonly paths: readonly string[]
  /** Files of the model. */
  readonly files: readonly ModelFile[]
}

/** Plans the model with the repository's projector if that is wanted, otherwise with a note on it. */
function planWithProjector(
  text: string,
  { repository, revision, paths, files }: ChosenFiles,
  context: SourceContext,
): Promise<SourcePlan> {
  const { withProjector } = context
  const [projector] = projectorsIn(paths)
  if (projector === undefined && withProjector)
    throw new PlanError('the repository has no projector (mmproj): leave out --mmproj')
  const wanted = withProjector && projector !== undefined ? [projector] : []
  const notes =
    projector === undefined || withProjector
      ? []
      : [`the repository has a projector, ${projector}: --mmproj pulls it too, and the model sees`]
  return planNew(text, [...files, ...hubModelFiles(repository, revision, wanted, 'mmproj')], context, notes)
}

async function planWebFile(text: string, context: SourceContext): Promise<SourcePlan> {
  const address = URL.parse(text)
  if (address === null) throw new PlanError(`"${text}" is no address`)
  if (address.username !== '' || address.password !== '')
    throw new PlanError(
      `${shownAddress(address)} was given with a name or a password: only the hub is asked with a token`,
    )
  if (context.withProjector) throw new PlanError('--mmproj goes with a repository of the hub: hf:org/repository:Q4_K_M')
  const { origin, pathname, search } = address
  const files = partsOf(pathname).map((path) => {
    const file = { role: 'model', url: `${origin}${path}${search}` }
    return { ...file, name: defaultName(file) }
  })
  return planNew(shownAddress(address), withSum(files, context), context, [])
}

function withSum(files: readonly ModelFile[], { sha256 }: SourceContext): ModelFile[] {
  if (sha256 === undefined) return [...files]
  if (files.length > 1) throw new PlanError('--sha256 is the sum of one file, and the model has several')
  return files.map((file) => ({ ...file, sha256 }))
}

async function planNew(
  text: string,
  files: readonly ModelFile[],
  context: SourceContext,
  notes: readonly string[],
): Promise<SourcePlan> {
  const plan = await planFiles(newModel(files, context), text, context)
  return { plan: { ...plan, manifest: { ...plan.manifest, files: pinned(plan.files, files) } }, notes, isNew: true }
}

/** Returns the files pinned in the manifest, so that another pull fetches the same. */
function pinned(planned: SourcePlan['plan']['files'], files: readonly ModelFile[]): ModelFile[] {
  return files.map((file, index) => {
    const { bytes, sha256, commit } = planned[index] ?? {}
    // The query of an address may hold a signature that soon expires.
    const url = file.url?.startsWith('hf:') === true ? file.url : file.url?.replace(/\?.*$/, '')
    return { ...file, url, sizeBytes: bytes, sha256, commit }
  })
}
