/** What one schema may be: more than any client sends, less than what makes the grammar compiler slow. */
export const schemaLimits = {
  /** Nested arrays and objects of its JSON. The native side takes 100 with everything around it. */
  depth: 60,
  /** Of its JSON text. */
  characters: 256 * 1024,
  /** Schemas in it, those counted again that are needed in several places. */
  nodes: 5_000,
  /** The compiler's work grows with their cube. */
  propertiesPerObject: 256,
  /** Regular expressions of the compiler recurse over names. */
  propertyNameCharacters: 256,
  /** The compiler's own limit of `{n,m}`. */
  repetitions: 2_000,
  /** Ways in which a value may begin: the sampler follows them all at once. */
  alternatives: 1_000,
} as const
