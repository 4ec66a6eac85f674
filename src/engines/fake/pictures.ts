/** Pictures in the fake engine, which reads their files and describes them in its answer. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type ChatRequest, picturesOf } from '../../core/chat.ts'
import type { ImagePart } from '../../core/content.ts'
import { type ErrorData, errorData } from '../../core/errors.ts'
import { deadlyPart } from '../shared/engine-errors.ts'

export const tokensOfPicture = 64

/** Describes a picture. The size is the upright picture's. */
export function describePicture({ width, height, orientation, hash }: ImagePart): string {
  const size = orientation < 5 ? `${width}x${height}` : `${height}x${width}`
  return `[image ${size} ${hash}]`
}

/** Returns the refusal of a picture that has ended engines before. */
export function deadlyPictureIn({ messages }: ChatRequest, deadly: readonly string[]): ErrorData | undefined {
  const found = picturesOf(messages).find(({ hash }) => deadly.includes(hash))
  return found && errorData(deadlyPart('picture', 'invalid_image', found.param))
}

/** Returns the problem with the files of pictures: each must exist and match the request's hash. */
export async function pictureProblem(pictures: readonly ImagePart[]): Promise<ErrorData | undefined> {
  for (const { path, hash, param } of pictures) {
    const bytes = await readFile(path).catch(() => undefined)
    const sum = bytes && createHash('sha256').update(bytes).digest('hex')
    if (sum === hash || isDecodedHere(bytes)) continue
    const message = `The picture ${sum === undefined ? 'has no file' : 'has the hash of another one'}.`
    return { kind: 'invalid_request', code: 'invalid_image', message, param }
  }
  return undefined
}

/**
 * Returns whether the picture was converted from a format that engines do not read. Its hash is then that of the sent
 * file.
 */
function isDecodedHere(bytes: Buffer | undefined): boolean {
  return bytes?.toString('latin1', 0, 2) === 'P6'
}
