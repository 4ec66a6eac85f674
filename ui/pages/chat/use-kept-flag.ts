import { useState } from 'preact/hooks'

/** Returns a choice of yes or no that this browser keeps, and the function that changes it. */
export function useKeptFlag(name: string, initial: boolean): readonly [flag: boolean, keep: (flag: boolean) => void] {
  const [flag, setFlag] = useState(() => {
    const kept = localStorage.getItem(name)
    return kept === null ? initial : kept === 'yes'
  })
  const keep = (changed: boolean) => {
    setFlag(changed)
    localStorage.setItem(name, changed ? 'yes' : 'no')
  }
  return [flag, keep]
}
