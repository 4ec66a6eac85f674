/** A file that can not be used, such as a GGUF file that native code must not see. The message completes "<file> …", e.g. `is cut short: …`. */
export class GgufError extends Error {
  override name = 'GgufError'
}
