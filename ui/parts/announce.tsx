/**
 * Messages for screen readers. Results of actions and failures also appear at the foot of the page; failures stay
 * until the next message.
 */
import { signal } from '@preact/signals'

const statusText = signal('')
const alertText = signal('')
const unseenText = signal('')

const shownMs = 10_000
let hiding: ReturnType<typeof setTimeout> | undefined

/** Announces the result of an action. */
export function announce(text: string): void {
  alertText.value = ''
  statusText.value = text
  clearTimeout(hiding)
  hiding = setTimeout(() => {
    statusText.value = ''
  }, shownMs)
}

/**
 * Announces to screen readers alone something that the page shows to everybody else, such as the end of an answer.
 * Nothing moves.
 */
export function tell(text: string): void {
  unseenText.value = text
}

/** Announces a failure that no form or page shows. */
export function alarm(text: string): void {
  statusText.value = ''
  alertText.value = text
}

export function Announcements() {
  return (
    <div class="announcements">
      <p role="status">{statusText}</p>
      <p role="status" class="unseen">
        {unseenText}
      </p>
      <p role="alert" class="bad">
        {alertText}
      </p>
    </div>
  )
}
