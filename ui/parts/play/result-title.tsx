import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** The heading of a result, which comes into view when it comes: forms above it may fill the window. */
export function ResultTitle({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)

  useLayoutEffect(() => {
    const top = heading.current?.getBoundingClientRect().top ?? 0
    if (top > innerHeight * 0.6) heading.current?.scrollIntoView()
  }, [])

  return <h2 ref={heading}>{children}</h2>
}
