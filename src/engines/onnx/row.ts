/** One text, or pair of texts, as the model reads it. */
export interface Row {
  readonly ids: Int32Array
  /** Where the second text of a pair begins to count, for models that want to be told; 0 and 1 for each id. */
  readonly typeIds: Uint8Array | undefined
}
