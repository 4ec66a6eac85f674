/** Why a model's file or manifest cannot be used. The message completes "<file> …", e.g. `is cut short: …`. */
export class FileError extends Error {
  override name = 'FileError'
}
