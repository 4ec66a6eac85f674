import type { CatalogEntry } from '../catalog/catalog.ts'
import type { ImagePart, TextPart } from '../core/content.ts'
import { sees } from '../core/model.ts'
import type { SentDocument } from '../documents/sent-documents.ts'
import { requireFew } from '../images/image-limits.ts'
import type { SentImage } from '../images/sent-images.ts'
import { omittedImages } from '../inference/omitted-images.ts'
import { installedModel } from '../inference/resolve-model.ts'
import type { Exchange } from './exchange.ts'

export type MediaServices = 'images' | 'documents'

export interface ReceivedMedia {
  /** Replacements of the pictures in the messages, in order. Absent without pictures. */
  readonly images?: readonly (ImagePart | TextPart)[]
  /** Contents of the documents in the messages, in order. Absent without documents. */
  readonly documents?: readonly (readonly (ImagePart | TextPart)[])[]
  /** Pages, sheets and slides of the documents. Absent without documents. */
  readonly documentPages?: number
}

interface SentMedia {
  readonly images: readonly SentImage[]
  readonly documents: readonly SentDocument[]
}

interface MediaOptions {
  /** Account whose spool quota the files count against. */
  readonly accountId: string
  readonly model: CatalogEntry
  /** True if the engine needs no pixels, as for counting tokens. */
  readonly sizesOnly: boolean
  /** Called once the request's own bytes have left memory. Only fetches and reading follow. */
  readonly onStored: () => void
}

/** Receives the pictures and documents of a request. Throws ApiError as `ImageReceiver` and `DocumentReceiver` do. */
export async function receiveMedia(
  { request: { signal }, services, keep }: Exchange<MediaServices>,
  { images: sent, documents }: SentMedia,
  { accountId, model, sizesOnly, onStored }: MediaOptions,
): Promise<ReceivedMedia> {
  if (sent.length === 0 && documents.length === 0) return {}
  const { manifest } = model
  const isSeeing = sees(manifest)
  const common = { accountId, sizesOnly, signal, keep }
  if (isSeeing || documents.length > 0) installedModel(model)
  const stored = await services.documents.store(documents, common)
  const images = isSeeing ? await services.images.receive(sent, { ...common, onStored }) : omittedImages(sent, manifest)
  onStored()
  const withImages = sent.length === 0 ? {} : { images }
  if (documents.length === 0) return withImages
  const all: { readonly param: string }[] = [...sent]
  const receive = async (pages: readonly SentImage[]) => {
    requireFew([...all, ...pages], services.images.limits)
    all.push(...pages)
    return await services.images.receive(pages, { ...common, onStored: () => undefined })
  }
  let documentPages = 0
  const onPage = () => {
    documentPages++
  }
  const options = { ...common, onPage, sees: isSeeing, modelId: manifest.id, receive }
  return { ...withImages, documents: await services.documents.read(stored, options), documentPages }
}
