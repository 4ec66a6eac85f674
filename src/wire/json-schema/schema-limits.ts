/** What one schema may be: more than any client sends, less than what makes the grammar compiler slow. */
export const schemaLimits = {
  /** Nested arrays and objects of its JSON. The native side takes 100 with everything around it. */
  depth: 60,
  /** Schemas in schemas, references followed: the compiler crashes at about four times as many. */
  nesting: 200,
  /** Of its JSON text. */
  characters: 256 * 1024,
  /** Schemas in it, those counted again that are needed in several places. */
  nodes: 5_000,
  /** The compiler's work grows with their cube. */
  propertiesPerObject: 256,
  /** Of the names that the compiler makes: each part's has those of all around it, and is written several times. */
  nameCharacters: 100_000,
  /** Regular expressions of the compiler recurse over names. */
  propertyNameCharacters: 256,
  /** Of `{n,m}`: half of what the compiler takes, because one may stand within another. */
  repetitions: 1_000,
  /** Ways in which a value may begin: the sampler follows them all at once. */
  alternatives: 1_000,
} as const
