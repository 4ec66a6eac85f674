/** Units of sizes, in powers of ten */
const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Returns "1.2 GB" for 1.2e9, "340 MB" for 340e6; no decimals from a hundred on. */
export function bytesText(bytes: number): string {
  let value = Math.max(0, bytes)
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1
  return `${value.toFixed(digits)} ${units[unit]}`
}
