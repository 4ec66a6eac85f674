/** A picture that cannot be used. The message completes "the picture cannot be read: …" and tells nothing of this machine. */
export class Unreadable extends Error {
  override name = 'Unreadable'
}
