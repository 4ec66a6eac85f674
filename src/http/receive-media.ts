import type { SentSound } from '../audio/sent/sent-sounds.ts'
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { ImagePart, SoundPart, TextPart } from '../core/content.ts'
import { ApiError } from '../core/errors.ts'
import { hears, type ModelManifest, sees } from '../core/model.ts'
import type { Owner } from '../core/owner.ts'
import type { SentDocument } from '../documents/sent-documents.ts'
import { requireFew } from '../images/image-limits.ts'
import type { SentImage } from '../images/sent-images.ts'
import { omittedImages } from '../inference/omitted-images.ts'
import { installedModel } from '../inference/resolve-model.ts'
import type { Exchange } from './exchange.ts'

export type MediaServices = 'images' | 'documents' | 'sounds'

export interface ReceivedMedia {
  /** Replacements of the pictures in the messages, in order. Absent without pictures. */
  readonly images?: readonly (ImagePart | TextPart)[]
  /** Contents of the documents in the messages, in order. Absent without documents. */
  readonly documents?: readonly (readonly (ImagePart | TextPart)[])[]
  /** Recordings in the messages, in order. Absent without recordings. */
  readonly sounds?: readonly SoundPart[]
  /** Pages, sheets and slides of the documents. Absent without documents. */
  readonly documentPages?: number
}

interface SentMedia {
  readonly images: readonly SentImage[]
  readonly documents: readonly SentDocument[]
  readonly sounds: readonly SentSound[]
}

interface MediaOptions {
  /** Owner whose spool quota the files count against. */
  readonly sender: Owner
  /** Owner whose later requests may have the same pages of documents. */
  readonly cacheOwner: Owner
  readonly model: CatalogEntry
  /** True if the engine needs no pixels, as for counting tokens. */
  readonly sizesOnly: boolean
  /** Returns whether recordings are transcribed for a model that does not hear. */
  readonly transcribes: () => boolean
  /** Called once the request's own bytes have left memory. Only fetches and reading follow. */
  readonly onStored: () => void
}

/**
 * Receives the pictures, recordings and documents of a request. Throws ApiError as `ImageReceiver`, `SoundReceiver` and
 * `DocumentReceiver` do.
 */
export async function receiveMedia(
  { request: { signal }, services, keep }: Exchange<MediaServices>,
  { images: sent, documents, sounds }: SentMedia,
  { sender, cacheOwner, model, sizesOnly, transcribes, onStored }: MediaOptions,
): Promise<ReceivedMedia> {
  if (sent.length === 0 && documents.length === 0 && sounds.length === 0) return {}
  const { manifest } = model
  if (sounds.length > 0 && !hears(manifest) && !transcribes()) throw unheard(sounds, manifest)
  const isSeeing = sees(manifest)
  const common = { accountId: sender, sizesOnly, signal, keep }
  if (isSeeing || documents.length > 0 || sounds.length > 0) installedModel(model)
  const stored = await services.documents.store(documents, common)
  const storedSounds = await services.sounds.store(sounds, common)
  const images = isSeeing ? await services.images.receive(sent, { ...common, onStored }) : omittedImages(sent, manifest)
  onStored()
  const taken = {
    ...(sent.length > 0 && { images }),
    ...(sounds.length > 0 && { sounds: await services.sounds.decode(storedSounds, common) }),
  }
  if (documents.length === 0) return taken
  const receive = async (image: SentImage, earlier: readonly (ImagePart | TextPart)[]) => {
    const pages = earlier.filter((part) => part.type === 'image')
    requireFew([...sent, ...pages, image], services.images.limits)
    return await services.images.receive([image], { ...common, onStored: () => undefined })
  }
  const options = { ...common, cacheOwner, sees: isSeeing, modelId: manifest.id, receive }
  const { contents, pages } = await services.documents.read(stored, options)
  return { ...taken, documents: contents, documentPages: pages }
}

/** Returns the refusal of recordings by a model that does not hear. */
function unheard([first]: readonly SentSound[], manifest: ModelManifest): ApiError {
  const param = first?.param ?? 'messages'
  const message = `'${param}' is a recording, and model '${manifest.id}' does not hear. Transcribe it by /v1/audio/transcriptions, or choose a model whose input_modalities in GET /models name audio.`
  return new ApiError('invalid_request', message, { code: 'unsupported_content', param })
}
