import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface PageHeadProps {
  readonly title: string
  /** One sentence: what is the case. */
  readonly intro?: ComponentChildren
  /** The main action, a button. */
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}

let isFirst = true

/** What every page is: a heading, which gets the focus when one comes here from another page, a sentence, an action. */
export function Page({ title, intro, action, children }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    document.title = `${title} · inferd`
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [title])

  return (
    <>
      <div class="page-head">
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
