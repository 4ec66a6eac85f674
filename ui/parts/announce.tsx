/** What screen readers are told: results of actions, and failures. The last one stays visible at the foot of the page. */
import { signal } from '@preact/signals'

const statusText = signal('')
const alertText = signal('')

/** Says what an action has done. */
export function announce(text: string): void {
  alertText.value = ''
  statusText.value = text
}

/** Says what has failed, where no form or page shows it. */
export function alarm(text: string): void {
  statusText.value = ''
  alertText.value = text
}

export function Announcements() {
  return (
    <div class="announcements">
      <p role="status">{statusText}</p>
      <p role="alert" class="bad">
        {alertText}
      </p>
    </div>
  )
}
