import type { ImagePart } from '../../../core/content.ts'

/** Prompt with the projector's marker in the place of each picture. */
export interface MarkedPrompt {
  readonly prompt: string
  /** Pictures in the order of their places in the prompt. */
  readonly pictures: readonly ImagePart[]
  /** Pictures that the template did not show, or showed more than once. */
  readonly missing: readonly ImagePart[]
}

/**
 * Marks for the pictures of one rendering. Each picture has its own mark: its number between two of the projector's
 * random markers. So the place of each picture in the template's output is known.
 */
export class PictureMarks {
  readonly #marker: string
  readonly #pictures: ImagePart[] = []

  constructor(marker: string) {
    this.#marker = marker
  }

  /** Adds a picture. Returns the text that stands for it in the template. */
  add(picture: ImagePart): string {
    this.#pictures.push(picture)
    return `${this.#marker}${this.#pictures.length - 1}${this.#marker}`
  }

  read(rendered: string): MarkedPrompt {
    if (this.#pictures.length === 0) return { prompt: rendered, pictures: [], missing: [] }
    const pieces = rendered.split(this.#marker)
    const numbers = pieces.filter((_, index) => index % 2 === 1)
    const pictures = numbers.flatMap((number) => this.#pictures[Number(number)] ?? [])
    const missing = this.#pictures.filter((_, index) => numbers.filter((number) => number === `${index}`).length !== 1)
    return { prompt: pieces.filter((_, index) => index % 2 === 0).join(this.#marker), pictures, missing }
  }
}
