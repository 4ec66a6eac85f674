import { useEffect, useRef } from 'preact/hooks'

/** Parts that Escape closes or empties before it does anything else. */
const closable = [
  ...['dialog[open]', ':popover-open', 'details[open] .menu', '[role="combobox"][aria-expanded="true"]'],
  ...['.edit:focus-within', '.dictation:focus-within', '[type="search"]:focus:not(:placeholder-shown)'],
].join()

/** Calls `act` when Escape is pressed anywhere on the page and closes nothing there. */
export function useEscape(isActive: boolean, act: () => void): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    if (!isActive) return
    const onKeyDown = ({ key, isComposing }: KeyboardEvent) => {
      if (key === 'Escape' && !isComposing && document.querySelector(closable) === null) latest.current()
    }
    // Looks at the page before the parts that close.
    addEventListener('keydown', onKeyDown, { capture: true })
    return () => removeEventListener('keydown', onKeyDown, { capture: true })
  }, [isActive])
}
