import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A picture that no training saw, with questions; drawn by scripts/starter/chat/vision/held_out.py. */
export interface HeldOutPicture {
  /** A data: URL: PNG, or JPEG where it looks like a photo. */
  readonly picture: string
  readonly questions: readonly PictureQuestion[]
}

export interface PictureQuestion {
  /** What is asked: `count`, `colour`, `word`, ... */
  readonly kind: string
  readonly question: string
  readonly answer: string
}

export function readHeldOutPictures(): HeldOutPicture[] {
  const lines = readFileSync(join(import.meta.dir, 'held-out.jsonl'), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as HeldOutPicture)
}
