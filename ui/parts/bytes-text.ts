/** Sizes as people read them, in powers of ten. */
const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** 1.2e9 is "1.2 GB", 340e6 "340 MB"; from a hundred on without decimals. */
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
