/** Error of a file that cannot be decoded. The message completes "The file cannot be decoded: …". */
export class Undecodable extends Error {
  override name = 'Undecodable'
  /** `ffmpeg` may know its codec. */
  readonly needsFfmpeg: boolean

  constructor(reason: string, { needsFfmpeg = false, cause }: { needsFfmpeg?: boolean; cause?: unknown } = {}) {
    super(reason, { cause })
    this.needsFfmpeg = needsFfmpeg
  }
}
