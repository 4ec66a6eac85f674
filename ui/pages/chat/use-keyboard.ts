import { useEffect } from 'preact/hooks'

/**
 * Keeps the token `--keyboard` at the height in pixels that an on-screen keyboard covers of the page. Some browsers
 * lay the page out above the keyboard, where it stays 0; others only move what is seen of it.
 */
export function useKeyboard(): void {
  useEffect(() => {
    const seen = window.visualViewport
    if (seen === null) return
    const { style } = document.documentElement
    const note = () => {
      // Zooming in also shows less of the page.
      const covered = document.documentElement.clientHeight - seen.height * seen.scale - seen.offsetTop
      style.setProperty('--keyboard', `${Math.max(0, Math.round(covered))}px`)
    }
    seen.addEventListener('resize', note)
    seen.addEventListener('scroll', note)
    return () => {
      seen.removeEventListener('resize', note)
      seen.removeEventListener('scroll', note)
      style.removeProperty('--keyboard')
    }
  }, [])
}
