/** The same direction with length 1; undefined where there is none, which models may give of silence. */
export function toUnitLength(vector: Float32Array): Float32Array | undefined {
  let square = 0
  for (const value of vector) square += value * value
  const length = Math.sqrt(square)
  return length > 0 && length < Number.POSITIVE_INFINITY ? vector.map((value) => value / length) : undefined
}
