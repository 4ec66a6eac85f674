import { signal } from '@preact/signals'

/** Another version of inferd answers than the one that these pages come from. */
export const isUpdated = signal(false)

let knownVersion: string | undefined

export function noteVersion({ headers }: Pick<Response, 'headers'>): void {
  const version = headers.get('x-inferd-version')
  if (version === null) return
  knownVersion ??= version
  if (version !== knownVersion) isUpdated.value = true
}
