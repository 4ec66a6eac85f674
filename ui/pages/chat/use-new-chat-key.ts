import { useEffect, useRef } from 'preact/hooks'

/** Begins a new chat with Alt+N, which browsers leave to pages. */
export function useNewChatKey(begin: () => void): void {
  const latest = useRef(begin)
  latest.current = begin
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { code, altKey, ctrlKey, metaKey, shiftKey } = event
      // With Alt, macOS types another letter.
      if (code !== 'KeyN' || !altKey || ctrlKey || metaKey || shiftKey) return
      event.preventDefault()
      if (document.querySelector('dialog[open]:not(.sheet)') === null) latest.current()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Moves the focus into the field for the next message, except where that would open a keyboard on the screen. */
export function focusMessage(): void {
  if (matchMedia('(pointer: coarse)').matches) return
  // The field is drawn with the conversation.
  setTimeout(() => document.querySelector<HTMLElement>('.composer textarea')?.focus())
}
