import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

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

let isFirst = true

/**
 * Lays out a page: heading, introduction, action, content. The heading gets the focus after navigation from another
 * page.
 */
export function Page({ title, isTitleUnseen = false, intro, action, children }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    document.title = `${title} · inferd`
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [title])

  return (
    <>
      <div class={isTitleUnseen ? 'page-head unseen-head' : 'page-head'}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {action}
      </div>
      {intro !== undefined && <p class="intro">{intro}</p>}
      {children}
    </>
  )
}
