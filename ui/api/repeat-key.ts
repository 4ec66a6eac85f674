import { useRef } from 'preact/hooks'

/** Returns a function that makes idempotency keys: random, and unchanged as long as the sent text is. */
export function useRepeatKey(): (sent: string) => string {
  const last = useRef({ sent: '', key: '' })
  return (sent) => {
    if (last.current.key === '' || last.current.sent !== sent) {
      last.current = { sent, key: crypto.getRandomValues(new Uint8Array(16)).toHex() }
    }
    return last.current.key
  }
}
