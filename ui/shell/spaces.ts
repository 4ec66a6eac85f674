import type { Space } from '../pages/rail-entries.ts'

/** Address that a space begins at. */
export const starts: Readonly<Record<Space, string>> = { use: '/dashboard', operate: '/admin' }

const storageKey = (space: Space) => `inferd-last-in-${space}`

/** Remembers in this tab where one is in a space. */
export function rememberPlace(space: Space, address: string): void {
  sessionStorage.setItem(storageKey(space), address)
}

/** Returns the address that a space's link opens: its start from within, else where one was in it last. */
export function spaceAddress(space: Space, current: Space): string {
  return (space === current ? null : sessionStorage.getItem(storageKey(space))) ?? starts[space]
}
