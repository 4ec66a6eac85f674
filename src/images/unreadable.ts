/**
 * Error of an unusable picture or document. The message completes "the picture cannot be read: …" and reveals nothing
 * about this machine.
 */
export class Unreadable extends Error {
  override name = 'Unreadable'
}
