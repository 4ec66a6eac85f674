import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** Shows the heading of a result and scrolls it into view, because forms above it may fill the window. */
export function ResultTitle({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)

  useLayoutEffect(() => {
    const top = heading.current?.getBoundingClientRect().top ?? 0
    if (top > innerHeight * 0.6) heading.current?.scrollIntoView()
  }, [])

  return <h2 ref={heading}>{children}</h2>
}
