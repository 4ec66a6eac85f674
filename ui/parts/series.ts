/** Colours of series: `series-1` to `series-8` of the stylesheet. */
const seriesCount = 8

/** Textures of one colour: `texture-0` to `texture-3`. */
const textureCount = 4

/** Start of the hash, chosen so that models of the catalog that run together on one machine differ in colour. */
const seed = 576_232

/** Returns the number of a model's colour, the same on all pages. */
export function seriesOf(id: string): number {
  return (hashOf(id) % seriesCount) + 1
}

/** Returns the number of a model's texture, which tells models of one colour apart. */
export function textureOf(id: string): number {
  return Math.floor(hashOf(id) / seriesCount) % textureCount
}

/** Returns a hash of 32 bits: FNV-1a, mixed once more for its low bits. */
function hashOf(id: string): number {
  let hash = seed
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
