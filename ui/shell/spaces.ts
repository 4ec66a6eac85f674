import { mayOpen } from '../pages/page-table.ts'
import type { Space } from '../pages/rail-entries.ts'

/** Address that a space begins at. */
export const starts: Readonly<Record<Space, string>> = { use: '/dashboard', operate: '/admin' }

const storageKey = (space: Space) => `inferd-last-in-${space}`

/** Remembers in this tab where one is in a space. */
export function rememberPlace(space: Space, address: string): void {
  sessionStorage.setItem(storageKey(space), address)
}

/** Start of the staff's space for a role without the overview. */
const startOfBooks = '/admin/accounts'

/** Returns the address that a space's link opens: its start from within, else where one was in it last. */
export function spaceAddress(space: Space, current: Space): string {
  const start = space === 'operate' && !mayOpen('/admin') ? startOfBooks : starts[space]
  return (space === current ? null : sessionStorage.getItem(storageKey(space))) ?? start
}
