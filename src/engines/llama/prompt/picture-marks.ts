import type { ImagePart, SoundPart } from '../../../core/content.ts'

export type MediumPart = ImagePart | SoundPart

/** Prompt with the projector's marker in the place of each picture and recording. */
export interface MarkedPrompt {
  readonly prompt: string
  /** Pictures and recordings in the order of their places in the prompt. */
  readonly pictures: readonly MediumPart[]
  /** Pictures and recordings that the template did not show, or showed more than once. */
  readonly missing: readonly MediumPart[]
}

/**
 * Marks for the pictures and recordings of one rendering. Each has its own mark: its number between two of the
 * projector's random markers. So the place of each in the template's output is known.
 */
export class PictureMarks {
  readonly #marker: string
  readonly #pictures: MediumPart[] = []

  constructor(marker: string) {
    this.#marker = marker
  }

  /** Adds a picture or a recording. Returns the text that stands for it in the template. */
  add(picture: MediumPart): string {
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
