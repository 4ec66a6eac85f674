/** Conversion of a prompt with markers to the step loop's units. No file is read: headers and lengths give the sizes. */
import type { ImagePart, SoundPart } from '../../../core/content.ts'
import { ApiError } from '../../../core/errors.ts'
import { refusedPart } from '../../shared/engine-errors.ts'
import type { NativeModel } from '../native.ts'
import type { NativeImageSize, NativeProjector, NativePromptPiece, NativeSoundLength } from '../native-projector.ts'
import type { MediaUnits } from '../steps/prefix-cache.ts'
import type { PictureRun, PromptLayout, PromptPicture } from '../steps/prompt-layout.ts'
import type { MarkedPrompt, MediumPart } from './picture-marks.ts'

export type PicturePrompt = Pick<MarkedPrompt, 'prompt' | 'pictures'>

export interface PromptTokenizer {
  readonly model: Pick<NativeModel, 'tokenize'>
  readonly vision: PictureTokenizer | undefined
}

interface PictureTokenizer {
  readonly projector: Pick<NativeProjector, 'tokenize' | 'isNonCausal'>
  readonly units: MediaUnits
  /** Most entries that can be decoded at once. If they attend to each other, pictures are shrunk to fit. */
  readonly limitEntries: number
  /** True if that limit comes from a lack of memory, not from the operator. */
  readonly isShortOfMemory: boolean
}

/** Picture in the size that the model sees. */
type ShownPicture = Pick<NativeImageSize, 'width' | 'height'> & { readonly part: ImagePart }
type ShownMedium = ShownPicture | (NativeSoundLength & { readonly part: SoundPart })

/** Longest side for low detail, in pixels. */
const lowDetailPixels = 512
/** Attempts to shrink a picture. One that still does not fit takes as many entries in every size. */
const triesToFit = 4
/** Extra shrinking, because entries consist of whole patches. */
const cautiousScale = 0.9

/**
 * Throws `unsupported_content` for a picture that takes more entries at once than can be decoded, and `invalid_image`
 * for one that the model cannot take, such as for its proportions.
 */
export async function layOutPrompt({ model, vision }: PromptTokenizer, prompt: PicturePrompt): Promise<PromptLayout> {
  if (prompt.pictures.length === 0) return { units: await model.tokenize(prompt.prompt, true, true), runs: [] }
  if (vision === undefined) throw new Error('a picture or recording for a model that reads text alone: this is a bug')
  const { projector, units, limitEntries } = vision
  let pictures = prompt.pictures.map(shownMedium)
  for (let tries = 0; ; tries++) {
    const pieces = await projector
      .tokenize(prompt.prompt, pictures)
      .catch((error: unknown) => Promise.reject(refusedPicture(error, pictures) ?? error))
    const excess = projector.isNonCausal ? excessOf(pieces, pictures, limitEntries) : new Map<number, number>()
    if (excess.size === 0) return toLayout(pieces, pictures.map(toPromptPicture), units)
    if (tries === triesToFit) throw tooManyEntries(pictures, excess, vision)
    pictures = pictures.map((picture, index) => {
      const factor = excess.get(index)
      return factor === undefined || isHeard(picture) ? picture : scaled(picture, cautiousScale / Math.sqrt(factor))
    })
  }
}

function isHeard(medium: ShownMedium): medium is Extract<ShownMedium, NativeSoundLength> {
  return medium.part.type === 'sound'
}

function refusedPicture(error: unknown, pictures: readonly ShownMedium[]): ApiError | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'PICTURE_REFUSED')) return undefined
  const index = 'index' in error && typeof error.index === 'number' ? error.index : 0
  const { type = 'image', param }: Partial<MediumPart> = pictures[index]?.part ?? {}
  const [code, verb, noun] =
    type === 'image' ? ['invalid_image', 'look at', 'picture'] : ['invalid_audio', 'hear', 'recording']
  const message = `This model cannot ${verb} '${param}': ${error.message}. Send another ${noun}, or a part of it.`
  return new ApiError('invalid_request', message, { code, param, cause: error })
}

/** Returns by how much each picture that is too large exceeds the limit, by index. */
function excessOf(
  pieces: readonly NativePromptPiece[],
  pictures: readonly ShownMedium[],
  limitEntries: number,
): Map<number, number> {
  const excess = new Map<number, number>()
  for (const piece of pieces) {
    if (piece.kind !== 'picture' || piece.entries <= limitEntries) continue
    if (pictures[piece.picture]?.part.type === 'sound') continue
    excess.set(piece.picture, Math.max(excess.get(piece.picture) ?? 0, piece.entries / limitEntries))
  }
  return excess
}

export function toLayout(
  pieces: readonly NativePromptPiece[],
  pictures: readonly PromptPicture[],
  media: MediaUnits,
): PromptLayout {
  const units: number[] = []
  const runs: PictureRun[] = []
  for (const piece of pieces) {
    if (piece.kind === 'tokens') {
      for (const token of piece.tokens) units.push(token)
      continue
    }
    const { part, entries, positions } = piece
    const picture = pictures[piece.picture]
    if (picture === undefined) throw new Error('the projector has a place for no picture: this is a bug')
    runs.push({ start: units.length, entries, positions, picture, part })
    const unit = media.unitOf(`${picture.key} ${part}`)
    for (let entry = 0; entry < entries; entry++) units.push(unit)
  }
  return { units, runs }
}

function shownMedium(part: MediumPart): ShownMedium {
  return part.type === 'sound' ? { samples: part.samples, part } : shownPicture(part)
}

function shownPicture(part: ImagePart): ShownPicture {
  const { width, height, orientation, detail } = part
  // EXIF's orientations from 5 on are turned by 90°.
  const upright = orientation < 5 ? { width, height, part } : { width: height, height: width, part }
  return detail === 'low' ? scaled(upright, Math.min(1, lowDetailPixels / Math.max(width, height))) : upright
}

function scaled({ width, height, part }: ShownPicture, factor: number): ShownPicture {
  const side = (pixels: number) => Math.max(1, Math.round(pixels * factor))
  return { width: side(width), height: side(height), part }
}

function toPromptPicture(medium: ShownMedium): PromptPicture {
  if (isHeard(medium)) {
    const { hash, path, samples, param } = medium.part
    return { hash, key: `${hash} ${samples}`, path, samples, param }
  }
  const { width, height, part } = medium
  const { hash, path, orientation, param } = part
  return { hash, key: `${hash} ${width}x${height}`, path, orientation, size: { width, height }, param }
}

function tooManyEntries(
  pictures: readonly ShownMedium[],
  excess: ReadonlyMap<number, number>,
  { limitEntries, isShortOfMemory }: PictureTokenizer,
): Error {
  const [[index, factor] = [0, 1]] = excess
  const entries = Math.round(factor * limitEntries)
  const advice = isShortOfMemory ? 'more memory for this model' : `--batch-tokens ${entries}`
  return refusedPart(
    pictures[index]?.part.param ?? 'messages',
    `is an image of ${entries} tokens, and this server decodes ${limitEntries} at once. Ask its operator for ${advice}`,
  )
}
