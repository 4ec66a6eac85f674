import { useEffect, useState } from 'preact/hooks'

/** Tells whether the window matches a media query, also after it has changed. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const note = () => setMatches(list.matches)
    note()
    list.addEventListener('change', note)
    return () => list.removeEventListener('change', note)
  }, [query])
  return matches
}
