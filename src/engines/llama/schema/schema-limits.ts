/** Limits of one schema: more than any client sends, less than makes the converter slow. */
export const schemaLimits = {
  /** Nesting of schemas. Joining can make them deeper than they were written. */
  depth: 60,
  /** Nesting of schemas, references followed. The converter crashes at about four times as many. */
  nesting: 200,
  /** Characters of the parameters of all tools: each request that offers them pays for compiling them. */
  charactersOfTools: 1024 * 1024,
  /** Schemas within a schema. One needed in several places counts each time. */
  nodes: 5_000,
  /** Properties per object. The converter's work grows with their cube. */
  propertiesPerObject: 256,
  /**
   * Characters of the converter's names. Each part's name includes those of all parts around it, and is written several
   * times.
   */
  nameCharacters: 100_000,
  /** Characters of a property's name. The converter's regular expressions recurse over names. */
  propertyNameCharacters: 256,
  /** Rules, and alternatives within them, of all texts with patterns and formats: the grammar compiler reads each. */
  textRules: 60_000,
  /** Ways in which a value may begin. The sampler follows them all at once. */
  alternatives: 1_000,
} as const
