import { signal } from '@preact/signals'

/** True if the server's version differs from that of these pages. */
export const isUpdated = signal(false)

let knownVersion: string | undefined

export function noteVersion({ headers }: Pick<Response, 'headers'>): void {
  const version = headers.get('x-inferd-version')
  if (version === null) return
  knownVersion ??= version
  if (version !== knownVersion) isUpdated.value = true
}
