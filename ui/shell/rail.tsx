import type { PagePath } from '../../src/wire/page-paths.ts'
import { status } from '../api/session.ts'
import { mayOpen } from '../pages/page-table.ts'
import { type RailEntry, railEntries, type Space } from '../pages/rail-entries.ts'
import { Icon } from '../parts/icon.tsx'
import { texts } from '../texts/texts.ts'
import { spaceAddress } from './spaces.ts'

interface RailProps {
  readonly space: Space
  readonly path: PagePath | undefined
}

/** Shows the pages of a space, and for staff the switch to the other space. */
export function Rail({ space, path }: RailProps) {
  return (
    <>
      {status.value !== undefined && status.value.role !== 'member' && <SpaceSwitch space={space} />}
      <nav class="rail-pages" aria-label={texts.shell.pages}>
        <ul>
          {railEntries[space].filter(isShown).map((entry) => (
            <li key={entry.title}>
              <a href={entry.paths[0]} aria-current={currentOf(entry, path)}>
                <Icon name={entry.icon} /> {entry.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  )
}

function isShown({ paths: [path] }: RailEntry): boolean {
  return mayOpen(path)
}

/** Returns whether an entry's link is the shown page, or leads near it: to a tab beside it, or to its list. */
function currentOf({ paths }: RailEntry, path: PagePath | undefined): 'page' | 'true' | undefined {
  if (path === paths[0]) return 'page'
  const isNear = path !== undefined && (paths.includes(path) || path === `${paths[0]}/*`)
  return isNear ? 'true' : undefined
}

const spaces = Object.keys(railEntries) as Space[]

/** Leads to the other space, where one was there last. */
function SpaceSwitch({ space }: { readonly space: Space }) {
  return (
    <nav class="space-switch" aria-label={texts.shell.spacesLabel}>
      {spaces.map((one) => (
        <a key={one} href={spaceAddress(one, space)} aria-current={one === space ? 'true' : undefined}>
          {texts.shell.spaces[one]}
        </a>
      ))}
    </nav>
  )
}
