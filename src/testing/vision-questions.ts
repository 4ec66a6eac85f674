/** Prompts and pictures for which `scripts/vision-truth.ts` asks llama.cpp's own helper for the next tokens. */
import { type Pixels, paint } from './pictures.ts'

/** Texts of the prompt, with a picture's marker between two of them. */
export const promptTexts = ['one ', ' two ', ' three'] as const

export const askedPictures: readonly Pixels[] = [
  paint(100, 40, (x, y) => [2 * x, 255 - 6 * y, (x * y) % 256]),
  paint(30, 20, (x, y) => [8 * x, 12 * y, (x ^ y) * 8]),
]
