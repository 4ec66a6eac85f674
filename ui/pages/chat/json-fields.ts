/** Fields of JSON values that may be anything. */

export function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function texts(value: unknown): string[] {
  return list(value).filter((item) => typeof item === 'string')
}
