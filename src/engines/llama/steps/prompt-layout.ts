/**
 * What a prompt is made of: a unit (`MediaUnits`) for each place that it takes in the KV cache, and which of them are pictures.
 *
 * Places are counted everywhere but at the border to the decoder, which has positions. A position grows by one a token. Over a
 * picture it grows by less than the picture's places where positions have several dimensions (M-RoPE), so that it must be asked for here.
 */
import type { NativePicture } from '../native-projector.ts'

/** A picture of a request. */
export interface PromptPicture extends NativePicture {
  /** SHA-256 of the file. */
  readonly hash: string
  /** The same for the same file in the same size: then the embeddings are the same too. */
  readonly key: string
  /** Its place in the client's own request, for errors. */
  readonly param: string
}

/** The places of a picture, or of a part of one where the model cuts pictures into parts. */
export interface PictureRun {
  /** The first place. */
  readonly start: number
  /** Number of places, each with an embedding. */
  readonly entries: number
  /** By how much the position grows. */
  readonly positions: number
  readonly picture: PromptPicture
  /** From 0 in each picture. */
  readonly part: number
}

export interface PromptLayout {
  readonly units: ArrayLike<number>
  /** In order. */
  readonly runs: readonly PictureRun[]
}

type Runs = PromptLayout['runs']

/** The position of a place that is not inside a picture: of a token, of the first entry of a picture, or of the end. */
export function positionAt(runs: Runs, place: number): number {
  let position = place
  for (const { start, entries, positions } of runs) {
    if (start + entries > place) break
    position += positions - entries
  }
  return position
}

/** The picture that a place belongs to; undefined for a token. */
export function runAt(runs: Runs, place: number): PictureRun | undefined {
  return runs.find(({ start, entries }) => start <= place && place < start + entries)
}

/** How many tokens stand from `place` on before the next picture, or before `end`. */
export function tokensFrom(runs: Runs, place: number, end: number): number {
  const next = runs.find(({ start, entries }) => start + entries > place)
  return Math.min(next?.start ?? end, end) - place
}

/** The longest beginning of at most so many places that cuts no picture: a model attends to all of a picture at once. */
export function wholePlaces(runs: Runs, places: number): number {
  const cut = runAt(runs, places)
  return cut === undefined ? places : cut.start
}

/** Pictures that have a place at or behind `place`, each once, in order. */
export function picturesFrom(runs: Runs, place: number): PromptPicture[] {
  const byKey = new Map<string, PromptPicture>()
  for (const { start, entries, picture } of runs) if (start + entries > place) byKey.set(picture.key, picture)
  return [...byKey.values()]
}

/** The prompt without its pictures. */
export function tokensOf({ units }: PromptLayout): Int32Array {
  return Int32Array.from(Array.from(units).filter((unit) => unit >= 0))
}
