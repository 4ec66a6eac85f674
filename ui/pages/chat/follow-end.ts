import { useCallback, useEffect, useRef } from 'preact/hooks'

/** Distance from the end of the page that still counts as the end. */
const nearPixels = 64

/**
 * Keeps the end of a growing page in sight, unless the person has scrolled away from it. Call `follow` after the page
 * has grown.
 */
export function useFollowEnd(): { readonly follow: () => void; readonly toEnd: () => void } {
  const isFollowing = useRef(true)

  useEffect(() => {
    const note = () => {
      const { scrollHeight } = document.documentElement
      isFollowing.current = scrollHeight - innerHeight - scrollY < nearPixels
    }
    addEventListener('scroll', note, { passive: true })
    return () => removeEventListener('scroll', note)
  }, [])

  const follow = useCallback(() => {
    if (isFollowing.current) scrollTo(0, document.documentElement.scrollHeight)
  }, [])
  const toEnd = useCallback(() => {
    isFollowing.current = true
    scrollTo(0, document.documentElement.scrollHeight)
  }, [])
  return { follow, toEnd }
}
