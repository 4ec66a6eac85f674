import {
  type Content,
  type SentDocumentPart,
  type SentImagePart,
  type SentSoundPart,
  textContent,
} from '../../core/content.ts'

/** A part of a message as a dialect reads it: a text, which may be empty, a picture, a document or a recording. */
export type ContentPiece = string | SentImagePart | SentDocumentPart | SentSoundPart

/**
 * Joins adjacent texts. Models are trained on pictures and sounds with nothing around them, so no separator comes
 * before or after one. Documents are put on separate lines later. Empty texts are dropped.
 */
export function joinTexts(pieces: readonly ContentPiece[], separator: string): ContentPiece[] {
  const joined: ContentPiece[] = []
  let texts: string[] = []
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      texts.push(piece)
      continue
    }
    if (texts.length > 0) joined.push(texts.join(separator))
    texts = []
    joined.push(piece)
  }
  return texts.length > 0 || joined.length === 0 ? [...joined, texts.join(separator)] : joined
}

/** Returns the pieces as the content of a message. */
export function toContent(pieces: readonly ContentPiece[], separator: string): Content {
  return joinTexts(pieces, separator).flatMap((piece) => (typeof piece === 'string' ? textContent(piece) : [piece]))
}
