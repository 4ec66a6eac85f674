import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'

interface PageHeadProps {
  readonly title: string
  /** True if the content shows well enough which page it is. */
  readonly isTitleUnseen?: boolean
  /** One sentence about the page's state. */
  readonly intro?: ComponentChildren
  /** Button of the main action. */
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}

/** Pages that share one entry of the rail, each of which is a tab below the entry's title. */
export interface PageTabs {
  readonly title: string
  readonly tabs: readonly { readonly path: string; readonly title: string; readonly isCurrent: boolean }[]
}

/** Tabs of the shown page. Undefined for a page alone. */
export const ShownTabs = createContext<PageTabs | undefined>(undefined)

let lastHeading: string | undefined

/**
 * Lays out a page: heading, tabs, introduction, action, content. After navigation the heading gets the focus, or the
 * tab if the heading is the same as before.
 */
export function Page({ title, isTitleUnseen = false, intro, action, children }: PageHeadProps) {
  const shared = useContext(ShownTabs)
  const heading = useRef<HTMLHeadingElement>(null)
  const tab = useRef<HTMLAnchorElement>(null)
  const headingText = shared?.title ?? title

  useEffect(() => {
    document.title = `${title} · inferd`
    const focused = headingText === lastHeading ? (tab.current ?? heading.current) : heading.current
    if (lastHeading !== undefined) focused?.focus()
    lastHeading = headingText
  }, [title, headingText])

  return (
    <>
      <div class={isTitleUnseen ? 'page-head unseen-head' : 'page-head'}>
        <h1 ref={heading} tabIndex={-1}>
          {headingText}
        </h1>
        {action}
      </div>
      {shared !== undefined && (
        <nav class="page-tabs" aria-label={shared.title}>
          {shared.tabs.map(({ path, title: name, isCurrent }) => (
            <a
              key={path}
              class="button"
              href={path}
              {...(isCurrent && { ref: tab })}
              aria-current={isCurrent ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
      )}
      {intro !== undefined && <p class="intro">{intro}</p>}
      {children}
    </>
  )
}
