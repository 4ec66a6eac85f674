/** Returns text such as 0.4, 12.3 or 9,100: at most one decimal, and none from a hundred on. */
export function numberText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })
}
