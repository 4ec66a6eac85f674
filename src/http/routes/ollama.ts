/** Models of this server in the form of Ollama's API. */
import { statSync } from 'node:fs'
import type { CatalogEntry } from '../../catalog/catalog.ts'
import type { GgufHeader } from '../../catalog/gguf-header.ts'
import { FileError } from '../../catalog/stat-file.ts'
import { findModelBySpelling, installedModel } from '../../inference/resolve-model.ts'
import { check, presentFields } from '../../wire/check.ts'
import {
  askedModel,
  isShown,
  type OllamaModel,
  OllamaShowBody,
  ollamaVersionText,
  toPs,
  toShow,
  toTags,
} from '../../wire/ollama/models.ts'
import type { KeyHolder } from '../authenticate.ts'
import type { Exchange } from '../exchange.ts'
import { allowsModel, boundsOf, requireModel } from '../limits.ts'
import { readJson } from '../read-json.ts'
import type { HttpServices } from '../services.ts'
import { listedModels, usableContext } from './models.ts'

type Listing = 'catalog' | 'pool' | 'ggufFiles' | 'stores'

/** Serves GET /api/version. */
export function ollamaVersion(): Response {
  return Response.json({ version: ollamaVersionText })
}

/** Serves GET /api/tags: the models that can be used now. */
export function ollamaTags({ services }: Exchange<Listing>, holder: KeyHolder): Response {
  const bounds = boundsOf(services.stores, holder)
  const entries = listedModels(services).filter(
    ({ status, manifest }) =>
      (status.kind === 'ready' || status.kind === 'loading') && allowsModel(bounds, manifest.id),
  )
  const engines = services.pool.status()
  const shown = entries.filter(({ manifest }) => isShown(manifest))
  return Response.json(toTags(shown.map((entry) => toOllamaModel(services, entry, engines))))
}

/** Serves POST /api/show. */
export async function ollamaShow(exchange: Exchange<Listing | 'config'>, holder: KeyHolder): Promise<Response> {
  const { services, observer } = exchange
  const fields = check(OllamaShowBody, presentFields(await readJson(exchange)))
  const name = askedModel(fields)
  const { entry } = findModelBySpelling(services.catalog, name)
  observer.model = entry.manifest.id
  requireModel(boundsOf(services.stores, holder), entry.manifest.id)
  installedModel(entry)
  return Response.json(toShow(toOllamaModel(services, entry, services.pool.status()), name))
}

/** Expiry reported for models that stay loaded. It is so far away that no client takes it for near. */
const neverMs = Date.UTC(2300, 0)

/** Serves GET /api/ps: loaded and loading models. */
export function ollamaPs({ services }: Exchange<Listing | 'clock'>, holder: KeyHolder): Response {
  const { catalog, pool, clock, stores } = services
  const bounds = boundsOf(stores, holder)
  const engines = pool.status()
  const loaded = engines.flatMap((engine) => {
    if (engine.state !== 'ready' && engine.state !== 'starting') return []
    const entry = catalog.resolve(engine.modelId)?.entry
    if (entry === undefined || !isShown(entry.manifest) || !allowsModel(bounds, entry.manifest.id)) return []
    const used = Object.entries(engine.usedBytes ?? engine.reservedBytes)
    const bytesOf = (pools: typeof used) => pools.reduce((sum, [, bytes]) => sum + bytes, 0)
    return {
      model: toOllamaModel(services, entry, engines),
      usedBytes: bytesOf(used),
      deviceBytes: bytesOf(used.filter(([id]) => id !== 'host')),
      expiresAtMs: engine.unloadsInMs === undefined ? neverMs : Math.min(neverMs, clock() + engine.unloadsInMs),
    }
  })
  return Response.json(toPs(loaded))
}

type KnownEntry = Omit<CatalogEntry, 'status'>
type Engines = ReturnType<HttpServices['pool']['status']>

function toOllamaModel(
  { ggufFiles, pool }: Pick<HttpServices, 'ggufFiles' | 'pool'>,
  entry: KnownEntry,
  engines: Engines,
): OllamaModel {
  const { manifest, filePaths, filesVersion, addedAtMs } = entry
  const header = manifest.engine === 'llama' ? headerOf(ggufFiles, filePaths.model) : undefined
  const engine = engines.find(({ modelId }) => modelId === manifest.id)
  const contextLength = usableContext(pool.contextLimit(manifest), engine) ?? header?.contextLength
  const sizes = Object.values(filePaths).map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  return {
    manifest,
    addedAtMs,
    sizeBytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
    digest: digestOf(entry, filesVersion),
    architecture: header?.architecture ?? (manifest.engine === 'onnx' ? 'bert' : manifest.engine),
    fillsGaps: header?.fillsGaps,
    template: header?.template,
    parameterCount: header?.parameterCount,
    fileType: header?.fileType,
    contextLength,
    embeddingLength: manifest.dimensions ?? header?.embeddingLength,
    blockCount: header?.blockCount,
    headCount: header?.headCount,
    headCountKv: header?.headCountKv,
  }
}

function headerOf(files: HttpServices['ggufFiles'], path: string | undefined): GgufHeader | undefined {
  if (path === undefined) return undefined
  try {
    return files.check(path)
  } catch (error) {
    if (error instanceof FileError) return undefined // the model's status reports the fault
    throw error
  }
}

/** Returns the main file's checksum from the manifest, else a digest of what is known about the files. */
function digestOf({ manifest }: KnownEntry, filesVersion = ''): string {
  const known = manifest.files.find(({ role }) => role === 'model')?.sha256
  return known ?? new Bun.CryptoHasher('sha256').update(`${manifest.id}\n${filesVersion}`).digest('hex')
}
