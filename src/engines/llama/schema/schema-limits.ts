/** Limits of one schema: more than any client sends, less than makes the converter slow. */
export const schemaLimits = {
  /** Schemas in schemas: joining can make them deeper than they were written. */
  depth: 60,
  /** Schemas in schemas, references followed: the converter crashes at about four times as many. */
  nesting: 200,
  /** Characters of the parameters of all tools: each request that offers them pays for compiling them. */
  charactersOfTools: 1024 * 1024,
  /** Schemas in it, those counted again that are needed in several places. */
  nodes: 5_000,
  /** The converter's work grows with their cube. */
  propertiesPerObject: 256,
  /** Characters of the converter's names: each part's has those of all around it, and is written several times. */
  nameCharacters: 100_000,
  /** Regular expressions of the converter recurse over names. */
  propertyNameCharacters: 256,
  /** Rules of all texts with patterns and formats, and ways within them: the compiler of grammars reads each. */
  textRules: 60_000,
  /** Ways in which a value may begin: the sampler follows them all at once. */
  alternatives: 1_000,
} as const
