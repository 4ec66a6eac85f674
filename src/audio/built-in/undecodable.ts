/** Error of a file that cannot be decoded. The message completes "The file cannot be decoded: …". */
export class Undecodable extends Error {
  override name = 'Undecodable'
  /** True if `ffmpeg` may be able to decode the file. */
  readonly needsFfmpeg: boolean

  constructor(reason: string, { needsFfmpeg = false, cause }: { needsFfmpeg?: boolean; cause?: unknown } = {}) {
    super(reason, { cause })
    this.needsFfmpeg = needsFfmpeg
  }
}
