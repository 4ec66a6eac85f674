/** Permission of the browser to keep conversations. */
import { texts } from '../../../texts/texts.ts'

/** Returns the reason for which a database could not be opened. */
export function whyNotKept(error: unknown): string {
  const name = error instanceof DOMException ? error.name : ''
  return name === 'VersionError' ? texts.chat.newerKept : texts.chat.keepsNone
}

/** Asks that the browser does not delete conversations to make room, where it decides without a question. */
export function keepSafe(): void {
  // Chromium alone has this field. Firefox would ask the person. The storage is undefined on pages without HTTPS.
  if ('userAgentData' in navigator) void navigator.storage?.persist().catch(() => undefined)
}

interface Usage {
  readonly usedBytes: number
  readonly limitBytes: number
}

/** Returns the storage that this site uses and may use in the browser. Undefined where the browser does not say. */
export async function storageUsage(): Promise<Usage | undefined> {
  const { usage, quota } = (await navigator.storage?.estimate().catch(() => undefined)) ?? {}
  return usage === undefined || quota === undefined ? undefined : { usedBytes: usage, limitBytes: quota }
}
