import { useEffect, useRef, useState } from 'preact/hooks'

interface Growing {
  /** Number of items to draw. */
  readonly count: number
  /** Set on an element after the drawn items. When it comes into sight, more are drawn. */
  readonly edge: { current: HTMLElement | null }
  readonly grow: () => void
}

/** Draws a long list in pieces of `step` items, as far as the person has scrolled. Begins anew when `key` changes. */
export function useGrowing(total: number, step: number, key: unknown): Growing {
  const [drawn, setDrawn] = useState({ key, count: step })
  const edge = useRef<HTMLElement>(null)
  const count = Math.min(total, drawn.key === key ? drawn.count : step)
  const grow = () => setDrawn({ key, count: count + step })

  useEffect(() => {
    const element = edge.current
    if (element === null || count >= total) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && grow(),
      { rootMargin: '400px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [count, total, key])

  return { count, edge, grow }
}
