import { useRef } from 'preact/hooks'

/** The idempotency key of what is sent: random, and the same as long as that is the same. */
export function useRepeatKey(): (sent: string) => string {
  const last = useRef({ sent: '', key: '' })
  return (sent) => {
    if (last.current.key === '' || last.current.sent !== sent) {
      last.current = { sent, key: crypto.getRandomValues(new Uint8Array(16)).toHex() }
    }
    return last.current.key
  }
}
