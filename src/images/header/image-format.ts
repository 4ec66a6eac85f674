/** What the header of a picture says. */
export interface ImageHeader {
  /** Of the format, as people call it. */
  readonly format: string
  /** In pixels, as the file has them, before `orientation`. Of an animation: of its canvas. */
  readonly width: number
  readonly height: number
  /** As EXIF numbers it: 1 to 8. */
  readonly orientation: number
}

/** A format of pictures that are read: how a file of it begins, and where its size stands. */
export interface ImageFormat {
  readonly name: string
  readonly matches: (bytes: Buffer) => boolean
  /** Throws Unreadable, and RangeError where the bytes end too early. */
  readonly read: (bytes: Buffer) => Omit<ImageHeader, 'format'>
}

/** No orientation of its own: upright. */
export const upright = 1

/** Whether the text, one byte a character, stands there. */
export function hasAt(bytes: Buffer, offset: number, text: string): boolean {
  return bytes.toString('latin1', offset, offset + text.length) === text
}
