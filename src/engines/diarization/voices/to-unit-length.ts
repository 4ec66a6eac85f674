/** Returns the vector scaled to length 1; undefined for a zero vector, which models may return for silence. */
export function toUnitLength(vector: Float32Array): Float32Array | undefined {
  let square = 0
  for (const value of vector) square += value * value
  const length = Math.sqrt(square)
  return length > 0 && length < Number.POSITIVE_INFINITY ? vector.map((value) => value / length) : undefined
}
