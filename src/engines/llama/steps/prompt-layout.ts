/**
 * Layout of a prompt: a unit (`MediaUnits`) for each place in the KV cache, and the pictures among them.
 * Places are counted everywhere except towards the decoder, which has positions. A position grows by one per token.
 * Over a picture it grows by less than the picture's places if positions have several dimensions (M-RoPE), so it must
 * be computed here.
 */
import type { NativePicture, NativeSound } from '../native-projector.ts'

/** Picture or sound of a request. All that is said of pictures here holds for sounds too. */
export type PromptPicture = (NativePicture | NativeSound) & {
  /** SHA-256 of the file. */
  readonly hash: string
  /** Key of the file and its size. Equal keys have equal embeddings. */
  readonly key: string
  /** Place in the client's request, for errors. */
  readonly param: string
}

export function isSound(medium: object): medium is Pick<NativeSound, 'samples'> {
  return 'samples' in medium
}

/** Places of a picture, or of a part of one if the model cuts pictures into parts. */
export interface PictureRun {
  /** First place. */
  readonly start: number
  /** Number of places, each with an embedding. */
  readonly entries: number
  /** Growth of the position. */
  readonly positions: number
  readonly picture: PromptPicture
  /** Number of the part, from 0 in each picture. */
  readonly part: number
}

export interface PromptLayout {
  readonly units: ArrayLike<number>
  /** Picture runs in order. */
  readonly runs: readonly PictureRun[]
}

type Runs = PromptLayout['runs']

/**
 * Returns the position of a place that is not inside a picture: of a token, of the first entry of a picture, or of the
 * end.
 */
export function positionAt(runs: Runs, place: number): number {
  let position = place
  for (const { start, entries, positions } of runs) {
    if (start + entries > place) break
    position += positions - entries
  }
  return position
}

/** Returns the picture at a place; undefined for a token. */
export function runAt(runs: Runs, place: number): PictureRun | undefined {
  return runs.find(({ start, entries }) => start <= place && place < start + entries)
}

/** Returns the number of tokens from `place` to the next picture or `end`. */
export function tokensFrom(runs: Runs, place: number, end: number): number {
  const next = runs.find(({ start, entries }) => start + entries > place)
  return Math.min(next?.start ?? end, end) - place
}

/**
 * Returns the longest beginning of at most `places` places that cuts no picture: a model attends to all of a picture at
 * once.
 */
export function wholePlaces(runs: Runs, places: number): number {
  const cut = runAt(runs, places)
  return cut === undefined ? places : cut.start
}

/** Returns the pictures with a place at or after `place`, each once, in order. */
export function picturesFrom(runs: Runs, place: number): PromptPicture[] {
  const byKey = new Map<string, PromptPicture>()
  for (const { start, entries, picture } of runs) if (start + entries > place) byKey.set(picture.key, picture)
  return [...byKey.values()]
}

/** Returns the prompt without its pictures. */
export function tokensOf({ units }: PromptLayout): Int32Array {
  return Int32Array.from(Array.from(units).filter((unit) => unit >= 0))
}
