/** What the fake engine does with pictures: it reads their files and says what it was given. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ImagePart } from '../../core/content.ts'
import type { ErrorData } from '../../core/errors.ts'

export const tokensOfPicture = 64

/** The size is the one in which the picture stands upright. */
export function describePicture({ width, height, orientation, hash }: ImagePart): string {
  const size = orientation < 5 ? `${width}x${height}` : `${height}x${width}`
  return `[image ${size} ${hash}]`
}

/** What is wrong with the files of pictures: each must be there, and be the one that the request names by its hash. */
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

/** A picture of a format that engines do not read: the hash is that of the file which was sent. */
function isDecodedHere(bytes: Buffer | undefined): boolean {
  return bytes?.toString('latin1', 0, 2) === 'P6'
}
