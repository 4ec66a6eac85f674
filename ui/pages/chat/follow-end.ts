import { useCallback, useEffect, useRef } from 'preact/hooks'

/** Distance from the end of the page that still counts as the end. */
const nearPixels = 64

type Find = () => Element | Range | undefined

interface FollowEnd {
  /** Keeps the end or the place in sight. Call it after the page has grown. */
  readonly follow: () => void
  readonly toEnd: () => void
  /** Scrolls to a place within the page, which may not be drawn yet. */
  readonly toPlace: (find: Find) => void
}

/** Keeps the end of a growing page in sight, or a place within it, unless the person has scrolled away from it. */
export function useFollowEnd(): FollowEnd {
  const isFollowing = useRef(true)
  /** Finds the place. Undefined for the end. */
  const place = useRef<Find | undefined>(undefined)
  const placeY = useRef(0)

  const follow = useCallback(() => {
    if (!isFollowing.current) return
    if (place.current === undefined) return scrollTo(0, document.documentElement.scrollHeight)
    const found = place.current()
    if (found === undefined) return
    scrollTo(0, found.getBoundingClientRect().top + scrollY - innerHeight / 3)
    placeY.current = scrollY
  }, [])
  useEffect(() => {
    let beforeY = scrollY
    const note = () => {
      const { scrollHeight } = document.documentElement
      const isNear =
        place.current === undefined
          ? scrollHeight - innerHeight - scrollY < nearPixels
          : Math.abs(scrollY - placeY.current) < nearPixels
      // A page that has just grown is not near its end, and was not scrolled away from it.
      if (isNear || scrollY < beforeY || place.current !== undefined) isFollowing.current = isNear
      beforeY = scrollY
    }
    addEventListener('scroll', note, { passive: true })
    // The window gets lower when a keyboard appears, the page higher when a panel makes it narrower.
    addEventListener('resize', follow)
    const observer = new ResizeObserver(follow)
    observer.observe(document.body)
    return () => {
      removeEventListener('scroll', note)
      removeEventListener('resize', follow)
      observer.disconnect()
    }
  }, [])

  const toPlace = useCallback((find: Find | undefined) => {
    place.current = find
    isFollowing.current = true
    follow()
  }, [])
  const toEnd = useCallback(() => toPlace(undefined), [])
  return { follow, toEnd, toPlace }
}
