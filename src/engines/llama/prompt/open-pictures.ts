import { type ChatRequest, picturesOf } from '../../../core/chat.ts'
import { placeImages } from '../../../core/place-images.ts'
import { deadlyPart } from '../../shared/engine-errors.ts'

/**
 * Returns the request with its pictures in place. Throws ApiError `invalid_image` if one of them has ended engines
 * before.
 */
export function openPictures(request: ChatRequest, deadly: ReadonlySet<string>): ChatRequest {
  const opened = placeImages(request)
  const found = deadly.size === 0 ? undefined : picturesOf(opened.messages).find(({ hash }) => deadly.has(hash))
  if (found !== undefined) throw deadlyPart('picture', 'invalid_image', found.param)
  return opened
}
