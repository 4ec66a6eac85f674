/** A part of a body, from its first byte to the one after its last. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * What a `Range` header asks for. `whole`: no header, several ranges, or a form that is not known, all of which are answered
 * with everything. `none`: no byte of it exists.
 */
export function readRange(header: string | null, bytes: number): ByteRange | 'whole' | 'none' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return 'whole'
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  // An end before the start is no range at all.
  if (first !== '' && last !== '' && Number(last) < start) return 'whole'
  return start < end ? { start, end } : 'none'
}
