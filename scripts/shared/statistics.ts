/** Returns the interpolated value below which `share` (0..1) of the values lie; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const low = sorted[Math.floor(position)]
  const high = sorted[Math.ceil(position)]
  if (low === undefined || high === undefined) return Number.NaN
  return low + (high - low) * (position - Math.floor(position))
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}
