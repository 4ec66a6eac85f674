import type { Live } from '../api/live.ts'
import { texts } from '../texts/texts.ts'

/** Shows how current the page is if it has no live connection. */
export function LiveNote({ live: { state, failure } }: { readonly live: Live }) {
  if (failure !== undefined) return <p class="hint warn">{texts.shared.liveFailed(failure.message)}</p>
  return state === 'polling' ? <p class="hint">{texts.shared.polling}</p> : null
}
