const longest = 64

/**
 * One name for a tool inside a namespace, of letters, digits, `_` and `-` only, at most 64 characters. The same for the
 * same pair always; two pairs may come out alike.
 */
export function joinName(namespace: string, name: string): string {
  const separator = namespace.endsWith('__') ? '' : '__'
  const safe = `${namespace}${separator}${name}`.replace(/[^a-zA-Z0-9_-]/g, '_')
  if (safe.length <= longest) return safe
  const digest = Bun.CryptoHasher.hash('sha256', JSON.stringify([namespace, name]), 'hex')
  return `${safe.slice(0, longest - 9)}_${digest.slice(0, 8)}`
}
