/** Nothing can be made of a file. The message completes "The file cannot be decoded: …". */
export class Undecodable extends Error {
  override name = 'Undecodable'
  /** Another program may know what this one does not. */
  readonly mayOthers: boolean

  constructor(reason: string, { mayOthers = false, cause }: { mayOthers?: boolean; cause?: unknown } = {}) {
    super(reason, { cause })
    this.mayOthers = mayOthers
  }
}
