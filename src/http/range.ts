/** Part of a body, from its first byte to the one after its last. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Returns the range that a `Range` header asks for. `whole` means no header, several ranges or an unknown form, which
 * are answered in full. `none` means that no byte of it exists.
 */
export function readRange(header: string | null, bytes: number): ByteRange | 'whole' | 'none' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return 'whole'
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  // An end before the start is an invalid range.
  if (first !== '' && last !== '' && Number(last) < start) return 'whole'
  return start < end ? { start, end } : 'none'
}
