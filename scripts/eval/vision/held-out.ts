import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Picture that no training saw, with questions, drawn by scripts/starter/chat/vision/held_out.py. */
export interface HeldOutPicture {
  /** Picture as a data: URL: PNG, or JPEG if it looks like a photo. */
  readonly picture: string
  readonly questions: readonly PictureQuestion[]
}

export interface PictureQuestion {
  /** Kind of question: `count`, `colour`, `word`, ... */
  readonly kind: string
  readonly question: string
  readonly answer: string
}

export function readHeldOutPictures(): HeldOutPicture[] {
  const lines = readFileSync(join(import.meta.dir, 'held-out.jsonl'), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as HeldOutPicture)
}
