/** Prompts for tests of the step loop: one token per character, and pictures with any number of entries. */
import type { NativePromptPiece } from '../engines/llama/native-projector.ts'
import { toLayout } from '../engines/llama/prompt/lay-out-prompt.ts'
import { MediaUnits } from '../engines/llama/steps/prefix-cache.ts'
import type { PromptLayout, PromptPicture } from '../engines/llama/steps/prompt-layout.ts'

export interface LaidPicture {
  readonly name: string
  readonly entries: number
  /** Number of positions. Defaults to the number of entries. */
  readonly positions?: number
  /** Number of parts of this size, with a token between two of them. Defaults to 1. */
  readonly parts?: number
}

const media = new MediaUnits()

export function tokens(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0)
}

export function layoutOf(...contents: readonly (string | LaidPicture)[]): PromptLayout {
  const pictures: PromptPicture[] = []
  const pieces = contents.flatMap((content): NativePromptPiece[] => {
    if (typeof content === 'string') return [{ kind: 'tokens', tokens: Int32Array.from(tokens(content)) }]
    const { name, entries, positions = entries, parts = 1 } = content
    pictures.push(pictureOf(name, pictures.length))
    const picture = pictures.length - 1
    return Array.from({ length: parts }, (_, part): NativePromptPiece[] => [
      ...(part === 0 ? [] : [{ kind: 'tokens' as const, tokens: Int32Array.from(tokens('|')) }]),
      { kind: 'picture', picture, part, entries, positions },
    ]).flat()
  })
  return toLayout(pieces, pictures, media)
}

/** Returns a picture. `place` is its index among the pictures of its request. */
function pictureOf(name: string, place: number): PromptPicture {
  return {
    hash: name,
    key: name,
    path: `/spool/${name}`,
    orientation: 1,
    size: { width: 8, height: 8 },
    param: `picture ${place}`,
  }
}
