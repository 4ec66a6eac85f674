/** Facts in the header of a picture. */
export interface ImageHeader {
  /** Common name of the format. */
  readonly format: string
  /** Width in pixels as in the file, before `orientation`. For an animation, the canvas's. */
  readonly width: number
  readonly height: number
  /** EXIF orientation, 1 to 8. */
  readonly orientation: number
}

/** Readable picture format: its first bytes, and the place of its size. */
export interface ImageFormat {
  readonly name: string
  readonly matches: (bytes: Buffer) => boolean
  /** Throws Unreadable, and RangeError if the bytes end too early. */
  readonly read: (bytes: Buffer) => Omit<ImageHeader, 'format'>
}

/** EXIF orientation of an upright picture, the default. */
export const upright = 1

/** Returns whether the text, one byte per character, is at the offset. */
export function hasAt(bytes: Buffer, offset: number, text: string): boolean {
  return bytes.toString('latin1', offset, offset + text.length) === text
}
