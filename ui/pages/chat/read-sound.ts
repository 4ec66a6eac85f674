import { bytesText } from '../../parts/bytes-text.ts'
import { texts } from '../../texts/texts.ts'
import { newId, type Picture } from './conversation.ts'
import { dataUrl } from './read-picture.ts'

/** Largest recording in bytes that the server takes. */
const maximumBytes = 25 * 1024 * 1024

export function isSoundFile({ type }: Pick<File, 'type'>): boolean {
  return type.startsWith('audio/')
}

/** Returns whether it is a recording, which is kept like a document. */
export function isHeard({ url }: Pick<Picture, 'url'>): boolean {
  return url.startsWith('data:audio/')
}

/** Returns a recording that can be sent. Rejects with an Error that explains why it cannot be. */
export async function readSound(file: File): Promise<Picture> {
  if (file.size > maximumBytes)
    throw new Error(texts.chat.soundTooLarge(file.name, bytesText(file.size), bytesText(maximumBytes)))
  // The server looks at the bytes alone, and browsers add parameters to some types.
  const url = await dataUrl(new Blob([file], { type: file.type.split(';')[0] ?? '' }))
  return { id: newId(), url, name: file.name, width: 0, height: 0, bytes: file.size, document: {} }
}
