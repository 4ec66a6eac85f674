import { type ChatRequest, mediaOf } from '../../../core/chat.ts'
import { placeImages } from '../../../core/place-images.ts'
import { deadlyPart } from '../../shared/engine-errors.ts'

/**
 * Returns the request with its pictures and recordings in place. Throws ApiError `invalid_image` or `invalid_audio` if
 * one of them has ended engines before.
 */
export function openPictures(request: ChatRequest, deadly: ReadonlySet<string>): ChatRequest {
  const opened = placeImages(request)
  const found = deadly.size === 0 ? undefined : mediaOf(opened.messages).find(({ hash }) => deadly.has(hash))
  if (found?.type === 'image') throw deadlyPart('picture', 'invalid_image', found.param)
  if (found !== undefined) throw deadlyPart('recording', 'invalid_audio', found.param)
  return opened
}
