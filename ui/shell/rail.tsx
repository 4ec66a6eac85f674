import { status } from '../api/session.ts'
import { type Group, knownPaths, pages } from '../pages/page-table.ts'
import { Icon } from '../parts/icon.tsx'
import { place } from '../router/router.ts'
import { texts } from '../texts/texts.ts'

const groups: readonly Group[] = ['play', 'account', 'operator']

/** Shows the pages by group. On narrow screens the menu button opens it. */
export function Rail({ isOpen }: { readonly isOpen: boolean }) {
  const shown = groups.filter((group) => group !== 'operator' || status.value?.is_operator === true)
  return (
    <nav id="rail" class={isOpen ? 'rail open' : 'rail'} aria-label={texts.shell.pages}>
      {shown.map((group) => (
        <RailGroup key={group} group={group} />
      ))}
    </nav>
  )
}

function RailGroup({ group }: { readonly group: Group }) {
  const paths = knownPaths.filter((path) => pages[path].group === group)
  if (paths.length === 0) return null
  return (
    <>
      <p class="group" id={`rail-${group}`}>
        {texts.shell.groups[group]}
      </p>
      <ul aria-labelledby={`rail-${group}`}>
        {paths.map((path) => {
          const { title, icon } = pages[path]
          return (
            <li key={path}>
              <a href={path} aria-current={place.value.pathname === path ? 'page' : undefined}>
                {icon !== undefined && <Icon name={icon} />} {title}
              </a>
            </li>
          )
        })}
      </ul>
    </>
  )
}
